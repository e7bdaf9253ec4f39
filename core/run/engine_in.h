/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the engine, shared by its files alone: engine.c (life and events), engine_rounds.c
 * (what comes again and again), engine_next.c (what is begun next), engine_intent.c (the inbox),
 * stage.c (the stage machine), stage_gate.c (before anything is done), stage_try.c (the attempt),
 * stage_there.c (one on another machine), stage_act.c (script and built-ins), stage_job.c
 * (JobSets), stage_logs.c (their logs), stage_verify.c, stage_cancel.c, stage_found.c (results that
 * are there), stage_left.c (what a try left), stage_undo.c, stage_clean.c, stage_proof.c and
 * stage_bucket.c (the clean-up).
 */
#ifndef RLPILOT_RUN_ENGINE_IN_H
#define RLPILOT_RUN_ENGINE_IN_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/redact.h"
#include "core/cloud/cloud.h"
#include "core/fmt/cause.h"
#include "core/io/loop.h"
#include "core/recipe/command.h"
#include "core/run/attempt.h"
#include "core/run/cluster.h"
#include "core/run/curves.h"
#include "core/run/discover.h"
#include "core/run/engine.h"
#include "core/run/facts.h"
#include "core/run/follow.h"
#include "core/run/intent.h"
#include "core/run/journal.h"
#include "core/run/origin.h"
#include "core/run/proof.h"
#include "core/run/record.h"
#include "core/run/reservations.h"
#include "core/run/spool.h"
#include "core/run/there.h"
#include "core/run/trees.h"
#include "core/run/why.h"

/* Where in a stage the engine is. */
enum phase {
	PHASE_IDLE,
	PHASE_EXISTING, /* are the results there already? */
	PHASE_GATE,
	PHASE_SKIPS,    /* which commands are not needed? */
	PHASE_BEFORE,   /* built-ins before the commands */
	PHASE_TERMINAL, /* interactive commands, one after the other */
	PHASE_SCRIPT,   /* the attempt runs */
	PHASE_WAIT,     /* before a further try */
	PHASE_JOB,      /* the JobSet runs */
	PHASE_SETTLE,   /* last lines and points */
	PHASE_AFTER,    /* built-ins behind the commands */
	PHASE_VERIFY,
	PHASE_UNDO,     /* what the stage made is being removed */
	PHASE_STOPPING, /* its JobSet is being deleted */
};

struct engine {
	struct loop *loop;
	struct run *run;
	struct engine_opts opts;
	struct state state;
	struct journal *journal;
	struct record_series series;
	struct cloud *cloud;
	struct cluster *cluster;
	struct facts_place place;
	char *toolkit; /* RUN/toolkit */

	bool replaying;
	bool series_dirty;
	bool ending;
	bool begun; /* the first stage of the span, in this life */
	int exit_code;
	struct err error;

	/* the stage in work */
	enum stage_id stage;
	const struct recipe_stage *recipe;
	const char *cause_id; /* static: why the stage is about to fail; NULL = no word for it */
	enum phase phase;
	int attempt;
	bool adopted;    /* a JobSet that was there before is followed */
	bool lost;       /* the attempt's exit code is not 0 or not known */
	bool blind;      /* and whether it still lives cannot be seen */
	int script_code; /* of the attempt, -1 = not known */
	bool look_due;   /* a look at the JobSet is deferred */
	bool job_seen;   /* the JobSet of this attempt has been there */
	struct facts *facts;
	struct origin *origin; /* of a result that was found */
	struct proof *proof;   /* of the clean-up, and of a cluster's undo */
	bool folder_again;     /* the deployment folder is missing and made again */
	bool proven;           /* all is gone: what waits for that is due */
	struct bucket_look *bucket;
	struct command_list commands;
	bool *skip; /* a command each */
	size_t terminal_next;
	struct child *child; /* interactive command */
	char *attempt_dir;
	char *remote;        /* user@host:port where attempts are made, NULL = here */
	struct there *there; /* the attempt there */
	struct follow *follow;
	struct loop_timer *look; /* at the attempt, at the JobSet */
	bool wanted;             /* a person has begun it: not the mode that goes on alone */
	bool retry;              /* this run has tried the stage before */
	char left_cause[32];     /* why the last try failed */
	bool left_tree;          /* and left an incomplete tree */
	bool left_lost;          /* the attempt before this one was lost in this life of ours */
	int64_t step_there;      /* the newest, which may be of others, -1 = none */
	int left_looks, passes;
	struct recipe_facts
		results; /* verification without the JobSet; items borrow the recipe's */
	const struct recipe_facts *verify_what;
	void (*verify_then)(struct engine *en, struct fact_list *answers);
	int64_t verify_since;
	const char *stuck_cause; /* what keeps the JobSet from working, NULL = nothing */
	int64_t stuck_since, stuck_seen;
	int undo_rounds, undo_looks; /* of the commands; at what must be gone */
	int never_looks;             /* in a row at a claim without a script */
	int64_t never_since, look_since, job_since, job_since_wall, settle_since;
	struct map spools; /* "pod/container" -> struct spool */
	bool trouble_main; /* it is the pod that tells the story */
	char *trouble_pod, *trouble_container,
		*trouble_reason; /* the first that failed, NULL = none has */
	struct curves *curves;
	bool curves_done, trees_asked; /* while settling */
	struct trees *trees;
	struct checks *checks;
	struct strvec checks_next; /* to be asked after this round: ids and groups */
	bool checks_all_next;
	int64_t checks_written; /* wall */
	struct reservations_spec reservations;
	struct discover *discover;
	void (*after_delete)(struct engine *en);
	bool left_job;           /* the JobSet could not be deleted */
	bool others_job;         /* the JobSet of its name is another's and stays */
	struct loop_timer *stop; /* until the command is told to stop, or told again */
	bool said_stop;          /* that it cannot be told */
	int64_t delete_since;    /* wall: the JobSet is being deleted */

	struct cost pool, pool_seen; /* in the journal; at the last look */
	int64_t busy_wall, busy;     /* when there was something to do last; run time */
	struct loop_timer *inbox, *beat, *tree_timer;
	char *confirm_cluster, *confirm_bucket;
};

/* engine.c */
/* Journal, apply, tell. A journal that cannot be written ends the engine. */
void engine_emit(void *engine, const struct event *ev);
/* Nothing begins by itself any more, in this life and the next. */
void engine_alone_no_more(struct engine *en);
/* Of the run; "" = it has none. */
const char *engine_value(const struct engine *en, const char *name);
/* The folder of its deployment; the caller's. */
char *engine_deployment(const struct engine *en);
void engine_move(struct engine *en, enum stage_move move, const char *note, const char *cause,
	const char *cure);
void engine_end(struct engine *en, int code, const struct err *e);
void engine_need_cluster(struct engine *en);
bool engine_confirmed_cluster(const struct engine *en);
bool engine_confirmed_bucket(const struct engine *en);

/* engine_rounds.c */
/* The engine lives: an event, and a file for who looks from outside; goes on by itself. */
void engine_give_beat(void *engine);
void engine_rounds_begin(struct engine *en);
void engine_rounds_end(struct engine *en);
/* There is something to do: the engine does not end by itself for a while. */
void engine_busy(struct engine *en);
/* The cost meter's begin and end go to the journal, at once (now) or once the
 * count of nodes stands still. */
void engine_keep_pool(struct engine *en, bool now);

/* engine_next.c */
/* What may still be at work outside belongs to us: back to it. */
void engine_go_on(struct engine *en);
/* The first of this life, unless something has begun already. */
void engine_first_step(void *engine);
/* Begins what is open in the span of the options, if it may. */
void engine_next(void *engine);
bool engine_may_begin(struct engine *en, enum stage_id id);
/* The stage in work has ended (done, skipped, failed, blocked): what next? */
void engine_stage_over(struct engine *en);

/* engine_intent.c */
void engine_act(struct engine *en, const struct intent *in);

/* stage.c */
void stage_begin(struct engine *en, enum stage_id id);
void stage_leave(struct engine *en); /* drops what waits for it; nothing is stopped */
void stage_script_over(struct engine *en, int code);
/* The command failed, its output tells why. */
void stage_script_failed(struct engine *en, int code);
/* A lost attempt whose result is not there has not happened: it is made again. */
void stage_again(struct engine *en, const char *note);
/* An attempt whose end nobody knows and whose result is missing: made again, or given up with the
 * cause exit-unknown when it may still live on another machine. */
void stage_lost(struct engine *en, const char *missing);
void stage_done(struct engine *en, const char *note);
void stage_skipped(struct engine *en, const char *note);
void stage_enter(struct engine *en, enum phase phase);
void stage_gate(struct engine *en);                  /* the gate is asked (again) */
void stage_gate_held(struct engine *en);             /* nothing is in the way of the commands */
void stage_job_over(struct engine *en);              /* the JobSet has ended */
void stage_job_settled(struct engine *en);           /* and all of it has been read */
void stage_say(struct engine *en, const char *text); /* among the lines of its output */
/* Before a block that beginning the stage again answers: whoever runs a span is told what does. */
void stage_say_choice(struct engine *en);
void stage_failed(struct engine *en, const char *cause, const char *cure);
/* The words for it; its id goes with the stage. */
void stage_fact_failed(struct engine *en, const struct fact *f, char **cause);
/* code: what an engine that goes to its end ends with. */
void stage_blocked(struct engine *en, const char *cause, const char *cure, enum err_code code);

/* stage_gate.c */
void gate_existing(struct engine *en);
void gate_ask(struct engine *en);
/* What `run` ends with over a gate: not every question has had an answer. */
enum err_code gate_code(const struct fact *failed);
/* The commands of the stage as they are now; false when the stage has ended over it. */
bool gate_render(struct engine *en);
void gate_skips(struct engine *en);
/* Values stay from here on if the stage costs; false when the engine ends over it. */
bool gate_freeze(struct engine *en);

/* stage_verify.c */
void verify_begin(struct engine *en);
/* Asks until there is an answer, or the cloud has been away for too long. */
void verify_ask(struct engine *en, const struct recipe_facts *what,
	void (*then)(struct engine *en, struct fact_list *answers));
/* The stage fails without a verdict. */
void verify_not_known(struct engine *en, const struct fact *failed);
/* The last try failed without a verdict: it alone is missing. */
bool verify_is_due(const struct state_stage *st);

/* stage_cancel.c */
void stage_cancel(struct engine *en, const struct intent *in);
void stage_keep(struct engine *en, const struct intent *in); /* second thoughts */
/* The stage has ended well while a stop was open: nothing more begins by itself. */
void cancel_overtaken(struct engine *en);
/* Nothing has been started yet: true when nothing shall be, and the stage ends. */
bool cancel_before_script(struct engine *en);
/* The command has ended: true when that ends the stage, because it had been told to. */
bool cancel_command_over(struct engine *en, int code);
void cancel_resume(struct engine *en); /* an earlier life was stopping the stage */

/* stage_undo.c */
void undo_begin(struct engine *en, enum stage_id id, const char *typed);
void undo_resume(struct engine *en, int n);

/* stage_left_files.c */
int left_files(struct engine *en, struct err *e); /* half made folders go before a try */
int left_whole(struct engine *en, struct err *e); /* the toolkit is whole */
/* A deployment folder that is half made; nobody may be at work on it any more. */
int left_deployment(struct engine *en, struct err *e);

/* stage_left.c */
/* What becomes of a JobSet of the name that the gate met. */
enum left_job {
	LEFT_NO_JOB, /* there was no answer */
	LEFT_GOES,   /* it is waited for or deleted, then the gate is asked again */
	LEFT_FOLLOW, /* it is what would be submitted, and runs */
	LEFT_BLOCKS, /* the stage has been blocked by it */
};
enum left_job left_jobset(struct engine *en, const struct fact *there);
/* Looks for what else the last try left; ends with stage_gate_held. */
void left_look(struct engine *en);
/* True: the cause of code passes by itself, the command is tried again later. */
bool left_passes(struct engine *en, const struct why *w, int code);
/* The JobSet is gone: the bucket decides. */
void left_results(struct engine *en);

/* stage_found.c */
/* Results are there: offered, used or refused, by what can be seen of where they come from. */
void found_result(struct engine *en, const struct fact_list *answers);
/* Less than the result is there, which the job goes on from by itself: told before the submit, and
 * done when the stage is begun again after that. */
void found_step(struct engine *en);
/* The same for a step that others have written since this run's own training ended, before a
 * further try of it and before the export; ends with stage_gate_held. */
void found_since(struct engine *en);

/* stage_try.c */
void try_begin(struct engine *en);  /* writes the script and starts it */
void try_follow(struct engine *en); /* its output, its progress */
void try_look(void *engine);        /* at the supervisor's files, until it has ended */
/* What a look has shown; true = look again. */
bool try_judge(struct engine *en, const struct attempt_look *look);
/* Its supervisor seems to have died before the script began: true when that is certain now. */
bool try_given_up(struct engine *en, const struct attempt_look *look);
void try_never(struct engine *en); /* the attempt never will begin: the next one */

/* stage_there.c */
/* Makes the attempt's folder and follows what runs, or is started, on the other machine. */
void stage_there(struct engine *en);
/* An earlier attempt on another machine is in the way of one here: the stage is blocked. */
bool stage_there_in_way(struct engine *en);
/* Says where, and what is missing there. */
void stage_there_why(const struct engine *en, struct why *w);

/* stage_act.c */
/* Whole script of the attempt; the caller's. */
char *act_script(struct engine *en);
bool act_has_script(const struct engine *en);
/* A script finds its run by its own place: a folder that was moved or copied before it began is
 * worked in where it is now. */
#define ACT_SCRIPT_HEAD "set -euo pipefail\nRLPILOT_RUN=$(cd ../../.. && pwd)\n"
/* Lines of a script that run one command in its folder. */
void act_add_command(const struct command *c, struct buf *out);
int act_keep_tfstate(struct engine *en, struct err *e);
/* Before a deploy or a destroy: nobody else is at terraform's state, and it is whole. */
int act_free_state(struct engine *en, struct err *e);
/* Environment for children: ours, the values, KUBECONFIG; NULL ended. */
void act_environment(const struct engine *en, struct strvec *env);
void act_environment_wipe(struct strvec *env);
/* The values and confirmations alone, for another machine. */
void act_values(const struct engine *en, struct strvec *env);
int act_before(struct engine *en, struct err *e);
/* All built-ins that are due, in order. */
int act_builtins(struct engine *en, struct err *e);
int act_after(struct engine *en, struct err *e);
/* The script has ended: what it leaves on this machine is kept or closed. */
void act_ended(struct engine *en);
/* Deletes gcluster's files with the token in them. */
void act_forget_token(struct engine *en);

/* stage_builtin.c */
int builtin_run(struct engine *en, const struct command *c, struct err *e);

/* stage_clean.c */
/* The gate of the clean-up holds: what is to be mended before the destroy? */
void clean_look(struct engine *en);
void clean_confirmed(struct engine *en); /* an earlier life had the name typed */
/* Lines of a script that make a missing deployment folder again. */
void clean_add_folder(const struct engine *en, struct buf *out);

/* stage_proof.c */
/* The cluster is gone: is everything that the run has made? Then the folder goes; ends the stage or
 * hands on to the bucket. */
void prove_begin(struct engine *en, bool cluster_gone);
/* The question alone, about all that this run has deployed. */
struct proof *prove_ask(
	struct engine *en, void (*fn)(void *arg, const struct proof_result *result));
/* A line of the list, once: "gone", "there", "kept" or "" and what. */
void prove_tell(struct engine *en, const char *state, const char *what);

/* stage_bucket.c */
/* All else is gone: the bucket is kept, or deleted by its name when it holds nothing of others;
 * ends the stage. Called again when the command has ended. */
void bucket_last(struct engine *en);
void bucket_leave(struct engine *en);

/* stage_logs.c */
void logs_open(struct engine *en); /* of pods that are new, or in trouble now */
bool logs_read(const struct engine *en);
/* What the pod said last that failed first, else the main one; the caller's, "" = nothing. */
char *logs_words(const struct engine *en);
void logs_leave(struct engine *en);

/* stage_job.c */
void job_begin(struct engine *en);
void job_event(struct engine *en, const struct event *ev); /* after it was applied */
void job_settle(struct engine *en);
void job_leave(struct engine *en);
void job_ask_trees(struct engine *en);
/* Deletes the JobSet, then `then` is called; false when there is none to delete. */
bool job_delete(struct engine *en, void (*then)(struct engine *en));

#endif

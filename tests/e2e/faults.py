# SPDX-License-Identifier: Apache-2.0
# One line of faults.tsv: a pretend cloud with its plan, `rlpilot run --json` against it, and what differs from the
# line. Prints nothing when all is as it should be.
import calendar
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def when(text):
    # RFC 3339 with ms, as rlpilot writes it
    day = time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    return calendar.timegm(day)


def environment(path):
    out = subprocess.run(["sh", "-c", '. "$1" && env -0', "sh", path], stdout=subprocess.PIPE, check=True).stdout
    return dict(e.split("=", 1) for e in out.decode().split("\0") if "=" in e)


# What crash_preload.so does to this side: to the state, or to the clock.
HERE = {"full": "CRASH_FULL", "read-only": "CRASH_READ_ONLY", "back": "CRASH_BACK"}


def harm(words, build):
    # "disk full", "disk read-only" or "clock back=SECONDS", and "EVENT STAGE": from that line of the journal on
    what, _, how_much = words[1].partition("=")
    env = {"LD_PRELOAD": build + "/tests/rig/crash_preload.so", HERE[what]: how_much or "1"}
    if len(words) > 2:
        env["CRASH_LINE"] = '"ev":"%s","stage":"%s"' % tuple(words[2:])
    return env


def run(rlpilot, env, to, folder, n):
    stages = ["--stage", "cleanup", "--confirm", env["CLUSTER_NAME"], "--confirm-bucket", env["GCS_BUCKET"]]
    if to != "cleanup":
        stages = ["--from", "tools", "--to", to]
    with open(folder + "/run%d.json" % n, "w") as out, open(folder + "/run%d.err" % n, "w") as err:
        p = subprocess.Popen([rlpilot, "--run", "fault", "run", "--json"] + stages, stdin=subprocess.DEVNULL,
                             stdout=out, stderr=err, env=env, cwd=env["HOME"])
        try:
            code = p.wait(int(os.environ.get("FAULTS_TIMEOUT", "120")))
        except subprocess.TimeoutExpired:
            p.send_signal(signal.SIGTERM)
            p.wait()
            code = -1
    lines = [json.loads(s) for s in open(folder + "/run%d.json" % n) if s.startswith("{")]
    ends = [s for s in lines if s["event"] == "stage-end"]
    last = ends[-1] if ends else {"stage": None, "state": None, "cause": None, "cure": None, "text": None}
    minutes = (when(lines[-1]["t"]) - when(lines[0]["t"])) / 60 if lines else 0
    alerts = {s["cause"] for s in lines if s["event"] == "alert" and s["state"] == "raised"}
    return code, last, minutes, alerts


def stopped(code, cause, err):
    # The engine itself gives up: what, why and what to do, in one line.
    said = [s for s in open(err).read().split("\n") if s.startswith("rlpilot: ")]
    codes = {"cannot-write": 73}
    if code == codes[cause] and said and said[-1].endswith(")"):
        return []
    return ["exit %d, %d expected: %s" % (code, codes[cause], said)]


def compare(field, code, last, minutes, alerts, to, err):
    wrong = []
    end, cause, longest, alert = field
    if code < 0:
        wrong.append("it does not end by itself")
    if end == "stopped":
        return stopped(code, cause, err)
    state = last["state"] if last["state"] != "skipped" else "done"
    if state != end or (end == "done" and (code != 0 or last["stage"] != to)):
        wrong.append("ends %s at %s (exit %d), %s expected: %s" % (state, last["stage"], code, end, last["text"]))
    if end != "done" and last["cause"] != cause:
        wrong.append("cause %s, %s expected: %s" % (last["cause"], cause, last["text"]))
    if end != "done" and not last["cure"]:
        wrong.append("no cure")
    if minutes > float(longest) * float(os.environ.get("FAULTS_SLACK", "1")):
        wrong.append("takes %.0f pretend minutes, %s expected at most" % (minutes, longest))
    if alert not in ("-", "") and alert not in alerts:
        wrong.append("alert %s is not raised (%s are)" % (alert, " ".join(sorted(alerts)) or "none"))
    return wrong


def created_twice(ledger):
    there, twice = set(), []
    for e in ledger:
        if e["kind"] == "create":
            if e["what"] in there and not e["what"].startswith(("object/", "pod/", "event/")):
                twice.append(e["what"])
            there.add(e["what"])
        elif e["kind"] == "delete":
            there.discard(e["what"])
    return twice


def one(build, line, speed):
    name, reports, to, plan, end, cause, longest, alert, again = line
    folder = tempfile.mkdtemp(prefix="rlpilot-fault.", dir=os.environ.get("TMPDIR", "/tmp"))
    here = [p.split() for p in plan.split(";") if p.split()[0] in ("disk", "clock")]
    with open(folder + "/plan", "w") as f:
        f.write("".join(p.strip() + "\n" for p in plan.split(";") if p.split() not in here))
    with open(folder + "/sim.out", "w") as out:
        sim = subprocess.Popen([build + "/rlpilot-sim", "--speed", speed, "--faults", folder + "/plan", "--ledger",
                                folder + "/ledger", "--env", folder + "/env"], stdout=out, stderr=out)
    wrong = []
    try:
        if subprocess.call([build + "/tests/rig/waitfor", "-t", "20", "-p", str(sim.pid), "file", folder + "/env"]) != 0:
            wrong.append("the simulator does not start: " + open(folder + "/sim.out").read())
        else:
            env = environment(folder + "/env")
            env["XDG_STATE_HOME"] = folder + "/state"
            first = to
            if to == "cleanup":
                code, last, minutes, alerts = run(build + "/rlpilot", env, "cluster", folder, 0)
                if (code != 0) != ("deploy:" in plan):
                    wrong.append("before the clean-up: exit %d: %s" % (code, last["text"]))
            harmed = dict(env)
            for words in here:
                harmed.update(harm(words, build))
            code, last, minutes, alerts = run(build + "/rlpilot", harmed, first, folder, 1)
            wrong += compare((end, cause, longest, alert), code, last, minutes, alerts, to, folder + "/run1.err")
            if again != "-":
                code, last, minutes, alerts = run(build + "/rlpilot", env, to, folder, 2)
                wrong += ["again: " + w for w in compare((again, cause, 400, "-"), code, last, minutes, alerts, to,
                                                         folder + "/run2.err")]
            ledger = [json.loads(s) for s in open(folder + "/ledger")]
            taken = {e["what"] for e in ledger if e["kind"] == "fault"}
            for p in open(folder + "/plan"):
                if " ".join(p.split()) not in taken:
                    wrong.append("never happened: " + p.strip())
            wrong += ["made twice: " + w for w in created_twice(ledger)]
            if os.environ.get("FAULTS_TELL"):
                print("%s: %s %s %.0f min alerts %s" % (name, last["state"], last["cause"], minutes, sorted(alerts)))
    finally:
        if sim.poll() is None:
            sim.terminate()
        sim.wait()
    if not wrong and not os.environ.get("FAULTS_KEEP"):
        shutil.rmtree(folder)
    return [name + ": " + w for w in wrong] + [name + ": files in " + folder] * bool(wrong)


# A hiccup of the machine is minutes of pretend time at full speed: what differs there is decided at a quarter of it.
def main():
    build, line = sys.argv[1], sys.argv[2].split("\t")
    if one(build, line, "max"):
        print("".join(w + "\n" for w in one(build, line, "250")), end="")


if __name__ == "__main__":
    main()

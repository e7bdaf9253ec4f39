#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A whole run, clean-up included, in a home that was there before: the kubeconfig with its current context, gcloud's
# configuration and the shell's files are byte for byte and by mode and time what they were, and nothing new lies
# anywhere but where the tools and rlpilot keep their own.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1

case $HOME in "$dir"/*) ;; *) die "the rehearsal's home is $HOME" ;; esac
mkdir -p "$HOME/.kube" "$HOME/.ssh" "$HOME/.config/fish" "$CLOUDSDK_CONFIG/configurations"
cat >"$HOME/.kube/config" <<'KUBE'
apiVersion: v1
kind: Config
# a comment, which a program that writes this file would lose
current-context: office
contexts:
- {name: office, context: {cluster: office, user: ann}}
clusters:
- {name: office, cluster: {server: "https://192.0.2.1"}}
users:
- {name: ann, user: {token: not-a-real-one}}
KUBE
cp "$HOME/.kube/config" "$HOME/.kube/second"
for f in .profile .bashrc .bash_profile .bash_history .zshrc .zprofile .config/fish/config.fish .ssh/config .gitconfig; do
	printf '# %s, mine\nexport KEEP="%s"' "$f" "$f" >"$HOME/$f"
done
printf '[core]\nproject = another-project\naccount = ann@example.org\n' >"$CLOUDSDK_CONFIG/configurations/config_office"
chmod 640 "$HOME/.kube/config" "$HOME/.bashrc"
chmod 444 "$HOME/.zshrc"
# One file by $KUBECONFIG, and by a list of two: both are the user's.
KUBECONFIG=$HOME/.kube/config:$HOME/.kube/second
export KUBECONFIG

picture() { # every file with mode, owner, time and digest
	(cd "$HOME" && find . -path ./.local/state/rlpilot -prune -o \( -type f -o -type l \) -print | sort |
		while read -r f; do
			echo "$f $(stat -c '%a %U %Y' "$f") $(sha256sum <"$f" | cut -d ' ' -f 1)"
		done)
}

picture >"$dir/before"
[ "$(wc -l <"$dir/before")" -ge 12 ] || die "too little in the home: this test tests nothing"
run "$rlpilot" run --all
want_rc 0 "the whole run"
run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
want_rc 0 "the clean-up"
picture >"$dir/after"

# What was there is as it was; where it is not, the line tells which.
diff "$dir/before" "$dir/after" >"$dir/changes"
equal '' "$(sed -n 's/^< //p' "$dir/changes")" "files that have changed or gone"
equal '' "$(sed -n 's/^> //p' "$dir/changes" | grep -Ev '^\./\.(gcluster|cache)/')" "files that are new"
# The run's cluster is known to the run alone.
! grep -rq "$CLUSTER_NAME" "$HOME/.kube" || fail "the run's cluster is in the user's kubeconfig"
grep -q "$CLUSTER_NAME" "$XDG_STATE_HOME"/rlpilot/runs/run-1/kubeconfig || fail "the run has no kubeconfig of its own"

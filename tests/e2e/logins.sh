#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Credentials of every kind against the pretend cloud: signed requests, a borrowed service account, the metadata server,
# ended tokens, a login that has expired and its cure, gcluster's login when CLOUDSDK_CONFIG hides it.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1 --speed 300
adc=$HOME/.config/gcloud/application_default_credentials.json
robot=rehearsal-bot@$PROJECT.iam.gserviceaccount.com

credentials() { # credentials FILE TYPE[?QUERY]
	curl -fsS "$RLPILOT_SIM/sim/v1/credentials/$2" >"$1" || die "no credentials of type $2"
}

login() { # login JSON: changes what the token service thinks of logins
	curl -fsS "$RLPILOT_SIM/sim/v1/login" -d "$1" >/dev/null || die "the login does not change"
}

check() { # check ID: its JSON in $dir/out
	run "$rlpilot" check --json --only "$1"
	json "$dir/out" 0.state >"$dir/state" || fail "check $1 says nothing: $(cat "$dir/err")"
}

want_state() { # want_state STATE WHAT
	equal "$1" "$(cat "$dir/state")" "$2"
	[ "$(cat "$dir/state")" = "$1" ] || cat "$dir/out" >&2
}

# --- the person's file
check login.adc
want_state ok "authorized_user"
check login.same-identity
want_state ok "one person"

# --- a service account, by the variable
credentials "$dir/robot.json" service_account
export GOOGLE_APPLICATION_CREDENTIALS="$dir/robot.json"
check login.adc
want_state ok "service_account"
check project.exists
want_state ok "an API asked by a service account"
check login.same-identity
want_state warning "two identities"
want out "$robot" "two identities"
want out "you@rehearsal.example" "two identities"
want_not out 'BEGIN PRIVATE' "two identities"

# --- a service account borrowed by a person, and by a service account through another one
credentials "$dir/loan.json" impersonated_service_account
GOOGLE_APPLICATION_CREDENTIALS=$dir/loan.json
check login.adc
want_state ok "impersonated_service_account"
credentials "$dir/loan.json" "impersonated_service_account?source=service_account&delegate=$robot"
check project.exists
want_state ok "impersonated through a delegate"
credentials "$dir/loan.json" "impersonated_service_account?delegate=nobody@example.com"
check login.adc
want_state blocking "a delegate that is not there"
want out "may not act as the service account" "a delegate that is not there"

# --- bad files
for bad in '{' '[]' '{"type":"external_account"}' '{"type":"authorized_user","refresh_token":7}'; do
	printf '%s' "$bad" >"$dir/bad.json"
	GOOGLE_APPLICATION_CREDENTIALS=$dir/bad.json
	check login.adc
	want_state blocking "$bad"
	want out "bad.json" "$bad"
done
GOOGLE_APPLICATION_CREDENTIALS=$dir/bad.json/none
check login.adc
want_state blocking "a path that is not there"
unset GOOGLE_APPLICATION_CREDENTIALS

# --- what the token service says about signed requests
jwt() { # jwt CLAIMS-OVERRIDE: answer to a request signed with the world's key
	python3 - "$dir/robot.json" "$1" "$dir" <<'P'
import base64, json, subprocess, sys
key = json.load(open(sys.argv[1]))
claims = {"iss": key["client_email"], "scope": "x", "aud": "https://oauth2.googleapis.com/token"}
claims.update(json.loads(sys.argv[2]))
b = lambda d: base64.urlsafe_b64encode(d).rstrip(b"=")
text = b(b'{"alg":"RS256","typ":"JWT"}') + b"." + b(json.dumps(claims).encode())
open(sys.argv[3] + "/key.pem", "w").write(key["private_key"])
sig = subprocess.run(["openssl", "dgst", "-sha256", "-sign", sys.argv[3] + "/key.pem"], input=text, capture_output=True, check=True).stdout
if claims.get("spoil"):
    sig = sig[:-1] + bytes([sig[-1] ^ 1])
print((text + b"." + b(sig)).decode())
P
}
exchange() { # exchange CLAIMS: the token service's answer in $dir/out
	jwt "$1" >"$dir/jwt" || die "openssl does not sign"
	curl -sS "$RLPILOT_SIM/token" --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer \
		--data-urlencode "assertion=$(cat "$dir/jwt")" >"$dir/out"
}
now=$(curl -sSI "$RLPILOT_SIM/sim/v1/health" | tr -d '\r' | sed -n 's/^Date: //p')
now=$(date -d "$now" +%s)
times="\"iat\":$now,\"exp\":$((now + 3600))"
exchange "{$times}"
want out '"access_token":"ya29\.' "a good signature"
exchange "{$times,\"spoil\":true}"
want out 'Invalid JWT Signature' "a spoilt signature"
exchange "{$times,\"iss\":\"other@x\"}"
want out 'account not found' "another account"
exchange "{$times,\"aud\":\"https://example.com\"}"
want out 'audience' "another audience"
exchange "{$times,\"scope\":\"\"}"
want out 'invalid_scope' "no scope"
exchange "{\"iat\":$((now - 90000)),\"exp\":$((now - 86400))}"
want out 'reasonable timeframe' "yesterday"
exchange "{\"iat\":$now,\"exp\":$((now + 7200))}"
want out 'short-lived' "two hours"

# --- a machine's metadata server; a token that Cloud Shell holds back
mv "$adc" "$dir/adc.json"
check login.adc
want_state blocking "no credentials"
unset NO_GCE_CHECK
export GCE_METADATA_HOST="${RLPILOT_SIM#http://}"
check login.adc
want_state ok "metadata"
export CLOUD_SHELL=true
login '{"clicks":1}'
check login.adc
want_state blocking "before the click"
want out 'click Authorize' "before the click"
check login.adc
want_state ok "after the click"
unset CLOUD_SHELL GCE_METADATA_HOST
export NO_GCE_CHECK=true
mv "$dir/adc.json" "$adc"
equal 403 "$(curl -sS -o /dev/null -w '%{http_code}' "$RLPILOT_SIM/computeMetadata/v1/project/project-id")" "no Metadata-Flavor"

# --- tokens end: by the run's clock for those who follow it
token=$(curl -sS -A rlpilot-test "$RLPILOT_SIM/token" -d grant_type=refresh_token -d client_id=c \
	--data-urlencode "refresh_token=$(json "$adc" refresh_token)" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
api=$RLPILOT_SIM/v3/projects/$PROJECT
equal 200 "$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$api")" "a new token"
until [ "$(curl -sS -o "$dir/out" -w '%{http_code}' -H "Authorization: Bearer $token" "$api")" = 401 ]; do :; done
want out 'ACCESS_TOKEN_EXPIRED' "an ended token"
curl -sS -o "$dir/out" -H "Authorization: Bearer $token" "$RLPILOT_SIM/storage/v1/b?project=$PROJECT"
want out '"reason":"authError"' "an ended token at Cloud Storage"

# --- the login expires and is cured by the command that the check names
for state in expired reauth; do
	login "{\"state\":\"$state\"}"
	check login.adc
	want_state blocking "$state"
	equal '["gcloud", "auth", "application-default", "login"]' "$(json "$dir/out" 0.cure_argv)" "cure of $state"
	[ "$state" = expired ] || want out 'log in again' "$state"
	printf 'code\n' | gcloud auth application-default login --no-launch-browser >"$dir/cure" 2>&1 || fail "cure of $state"
	check login.adc
	want_state ok "cure of $state"
done

# --- gcluster and terraform find the login that CLOUDSDK_CONFIG hides from them
mv "$HOME/.config/gcloud" "$HOME/hidden"
export CLOUDSDK_CONFIG="$HOME/hidden"
export CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE="$HOME/hidden/application_default_credentials.json"
run "$rlpilot" run --to cluster
want_rc 0 "run with a hidden login"
want out '^\[5/9\] cluster +done ' "run with a hidden login"

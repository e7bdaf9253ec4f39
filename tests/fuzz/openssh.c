/* SPDX-License-Identifier: Apache-2.0 */
/* known_hosts and private keys as they come: a server is right only by a line that holds its key,
 * and a line that revokes it is never passed by. */
#include "tests/fuzz/fuzz.h"

#include "core/base/mem.h"
#include "core/fmt/known_hosts.h"
#include "core/fmt/ssh_key.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = x_strndup(size ? (const char *)data : "", size);
	AUTO_FREE char *more = x_asprintf("%s\n@revoked * ssh-ed25519 AAAA\n", text);
	struct known_hosts k = {0};
	const struct known_host *at;
	bool locked;

	MUST(ssh_key_look(text, &locked) <= SSH_KEY_OTHER);
	known_hosts_read(&k, "file", text, "[cat.example]:2222");
	if (known_hosts_judge(&k, "ssh-ed25519", "AAAA", &at) == KNOWN_IS_RIGHT)
		MUST(strcmp(at->key, "AAAA") == 0 && at->marker == KNOWN_KEY && at->line > 0);
	known_hosts_fini(&k);
	known_hosts_read(&k, "file", more, "[cat.example]:2222");
	MUST(known_hosts_judge(&k, "ssh-ed25519", "AAAA", &at) == KNOWN_IS_REVOKED);
	known_hosts_fini(&k);
	return 0;
}

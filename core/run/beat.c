/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/beat.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"

int beat_write(const char *run_dir, const char *host, int64_t pid, int64_t beat_ms, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, "engine");
	AUTO(json_auto) json_t *j = json_object();
	AUTO_FREE char *line = NULL;
	char when[TIME_SIZE];

	json_object_set_new(j, "host", json_from_str(host));
	json_object_set_new(j, "pid", json_integer(pid));
	json_object_set_new(j, "beat", json_string(time_format_ms(beat_ms, when)));
	line = json_line(j);
	return path_write(file, line, strlen(line), e);
}

int beat_read(const char *run_dir, char *host, size_t size, int64_t *pid, int64_t *beat_ms)
{
	AUTO_FREE char *file = path_join(run_dir, "engine");
	AUTO(json_auto) json_t *j = path_exists(file) ? json_read_file(file, 4096, NULL) : NULL;

	if (!j)
		return -1;
	(void)snprintf(host, size, "%s", json_path_str_or(j, "host", ""));
	*pid = json_path_i64(j, "pid", 0);
	*beat_ms = time_parse_ms(json_path_str(j, "beat"));
	return *beat_ms == TIME_NONE ? -1 : 0;
}

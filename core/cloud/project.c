/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/project.h"

#include "core/base/mem.h"
#include "core/cloud/pages.h"
#include "core/fmt/json.h"

static void project_path(struct buf *path, const char *project)
{
	buf_adds(path, "v3/projects/");
	http_escape(path, project);
}

struct cloud_call *project_get(struct cloud *c, const char *project, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	project_path(&path, project);
	return cloud_call(c, CLOUD_PROJECTS, NULL, buf_str(&path), NULL, done);
}

void projects_list(struct cloud *c, struct cloud_done done)
{
	pages_merge(c,
		&(struct cloud_request){.api = CLOUD_PROJECTS,
			.path = "v3/projects:search?query=state:ACTIVE&pageSize=500",
			.no_quota_project = true},
		pages_google, "projects", done);
}

struct cloud_call *project_test_permissions(struct cloud *c, const char *project,
	const char *const *permissions, size_t n, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};
	AUTO(json_auto) json_t *body = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_from_str(permissions[i]));
	json_object_set_new(body, "permissions", list);
	project_path(&path, project);
	buf_adds(&path, ":testIamPermissions");
	return cloud_send(c, &(struct cloud_request){.api = CLOUD_PROJECTS,
				     .method = "POST",
				     .path = buf_str(&path),
				     .body = body,
				     .repeatable = true,
				     .done = done});
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of OpenSSH that are read here: known_hosts with patterns, hashed names, ports, revoked
 * keys and authorities; the heads of private keys. And the commands that cure them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/digest.h"
#include "core/fmt/known_hosts.h"
#include "core/fmt/ssh_key.h"
#include "core/io/ssh_words.h"

#define ED "ssh-ed25519"

/* |1| of ssh-keygen -H for "[127.0.0.1]:2222" and for "cat.example" */
static const struct {
	const char *text, *name, *key;
	enum known_verdict want;
	int line; /* that decides, 0 = none */
} cases[] = {
	{"", "cat", "AAAA", KNOWN_IS_NEW, 0},
	{"cat " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_RIGHT, 1},
	{"cat " ED " AAAA", "cat", "AAAA", KNOWN_IS_RIGHT, 1},
	{"cat\t" ED "   AAAA a comment\r\n", "cat", "AAAA", KNOWN_IS_RIGHT, 1},
	{"Cat.Example " ED " AAAA\n", "cat.eXample", "AAAA", KNOWN_IS_RIGHT, 1},
	{"# cat " ED " AAAA\n\ndog,cat,1.2.3.4 " ED " AAAA\n", "1.2.3.4", "AAAA", KNOWN_IS_RIGHT,
		3},
	{"cat " ED " BBBB\n", "cat", "AAAA", KNOWN_IS_CHANGED, 1},
	{"cat " ED " BBBB\ncat " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_RIGHT, 2},
	{"cat ssh-rsa AAAA\n", "cat", "AAAA", KNOWN_IS_OTHER, 1},
	{"cat ssh-rsa CCCC\ncat " ED " BBBB\n", "cat", "AAAA", KNOWN_IS_CHANGED, 2},
	/* a port other than 22 is part of the name */
	{"cat " ED " AAAA\n", "[cat]:2222", "AAAA", KNOWN_IS_NEW, 0},
	{"[cat]:2222 " ED " AAAA\n", "[cat]:2222", "AAAA", KNOWN_IS_RIGHT, 1},
	{"[cat]:2222 " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
	{"[fe80::1]:2222 " ED " AAAA\n", "[fe80::1]:2222", "AAAA", KNOWN_IS_RIGHT, 1},
	/* patterns */
	{"*.example " ED " AAAA\n", "cat.example", "AAAA", KNOWN_IS_RIGHT, 1},
	{"*.example " ED " AAAA\n", "example", "AAAA", KNOWN_IS_NEW, 0},
	{"ca?.exa*l* " ED " AAAA\n", "cat.example", "AAAA", KNOWN_IS_RIGHT, 1},
	{"*,!cat.example " ED " AAAA\n", "cat.example", "AAAA", KNOWN_IS_NEW, 0},
	{"!dog,*.example " ED " AAAA\n", "cat.example", "AAAA", KNOWN_IS_RIGHT, 1},
	{"!dog " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
	/* revoked keys and authorities */
	{"@revoked * " ED " AAAA\ncat " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_REVOKED, 1},
	{"cat " ED " AAAA\n@revoked cat " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_REVOKED, 2},
	{"@revoked * " ED " BBBB\ncat " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_RIGHT, 2},
	{"@revoked dog " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
	{"@cert-authority *.example " ED " BBBB\n", "cat.example", "AAAA", KNOWN_IS_OTHER, 1},
	{"@cert-authority * " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_OTHER, 1},
	{"@unheard-of * " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
	/* hashed names */
	{"|1|jH7X4rW7VCCCKEK30mwsVQc9Zc0=|viHfkjmoa0jODJEuoOK0Xu1UQC4= " ED " AAAA\n",
		"[127.0.0.1]:2222", "AAAA", KNOWN_IS_RIGHT, 1},
	{"|1|jH7X4rW7VCCCKEK30mwsVQc9Zc0=|viHfkjmoa0jODJEuoOK0Xu1UQC4= " ED " AAAA\n", "127.0.0.1",
		"AAAA", KNOWN_IS_NEW, 0},
	{"|1|CESoulfjX45cNJTTPQWmmpAoHdc=|TGB8RrrjEy4DBcT443tsda9V/zU= " ED " BBBB\n",
		"cat.example", "AAAA", KNOWN_IS_CHANGED, 1},
	/* rubbish */
	{"|1|", "cat", "AAAA", KNOWN_IS_NEW, 0},
	{"|1|| " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
	{"|1|###|### " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
	{"cat " ED "\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
	{"cat\n@revoked\n,,, " ED " AAAA\n! " ED " AAAA\n", "cat", "AAAA", KNOWN_IS_NEW, 0},
};

static void servers_are_found_as_ssh_finds_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct known_hosts k = {0};
		const struct known_host *at;
		enum known_verdict v;

		known_hosts_read(&k, "FILE", cases[i].text, cases[i].name);
		v = known_hosts_judge(&k, ED, cases[i].key, &at);
		if (v != cases[i].want || (at ? at->line : 0) != cases[i].line)
			fail_msg("case %zu: %d at line %d", i, (int)v, at ? at->line : 0);
		known_hosts_fini(&k);
	}
}

static void fingerprints_are_those_of_ssh_keygen(void **state)
{
	static const char key[] =
		"AAAAC3NzaC1lZDI1NTE5AAAAIJp+la9sQE9T6nsLZtQ+SoIg42+1TUFc12BUpMW+SqZK";
	size_t n;
	AUTO_FREE char *raw = digest_base64_decode(key, &n);
	AUTO_FREE char *print = digest_fingerprint(raw, n);

	(void)state;
	assert_string_equal(print, "SHA256:p0P9V6VjDavY1awb+YDq4O4+6kj+Bb22wSrefW9z+dg");
}

static const struct {
	const char *text;
	enum ssh_key_kind kind;
	bool locked;
} keys[] = {
	{"-----BEGIN OPENSSH PRIVATE KEY-----\n"
	 "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQAAACCafpW"
	 "vbEBPU+"
	 "p7C2bUPkqCIONvtU1BXNdgVKTFvkqmSgAAAIj0rOel9Kzn\npQAAAAtzc2gtZWQyNTUxOQAAACCafpWvbEBPU+"
	 "p7C2bUPkqCIONvtU1BXNdgVKTFvkqmSg\n",
		SSH_KEY_PLAIN, false},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\n"
	 "b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABB5pyQy1b\nwYCEf9le9EFYySAAA"
	 "AEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIAdnYJFnQuR6yxXd\npdPJmqSQCe+lSW++yOh5P+"
	 "FU3vEDAAAAkK3aXcB+yQy5F6D1AS2MusaGPg+LxsKFUBdqUP\n",
		SSH_KEY_PLAIN, true},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\n"
	 "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAaAAAABNlY2RzYS\n1zaGEyLW5pc3RwMjU"
	 "2AAAACG5pc3RwMjU2AAAAQQSl8vNTUIp84ylEmH2twNd4KiFPF0PV\nUy/"
	 "znLV2qEbOcWq+yY32KI+6OeesXTT0HUkU4jK/gEvxiD4dBwla63XOAAAAoDt9Jso7fS\n",
		SSH_KEY_PLAIN, false},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\n"
	 "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABFwAAAAdzc2gtcn\nNhAAAAAwEAAQAAAQE"
	 "AsWCC+q1uUVnaIIZtlRRt1dfj9IJyHxC2OVo4wenZpxIQIGDfXg/b\nA1WC/"
	 "SVZepDXBx72FWlJIwVXsFNLieblYHhokYt1TtVWFfO1Z06iaXMVsFbE+VvjVuvXuB\n",
		SSH_KEY_RSA, false},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\n"
	 "b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABBIkvTqb+\nP4Drq+ujo+"
	 "RolWAAAAEAAAAAEAAAEXAAAAB3NzaC1yc2EAAAADAQABAAABAQCwPKNlqfJi\nk80wffm8Wiq7Ayy1vGsTk5E0PfT"
	 "GV2h4u7u8hcjmzE0iudsHhA93Ny7pv8cyGFWO2WRJ7r\n",
		SSH_KEY_RSA, true},
	{"", SSH_KEY_NONE, false},
	{"ssh-ed25519 AAAA a public one\n", SSH_KEY_NONE, false},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\n", SSH_KEY_NONE, false},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n", SSH_KEY_NONE, false},
	{"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAAAAAAAAAAAAAA\n", SSH_KEY_NONE, false},
	{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", SSH_KEY_RSA, false},
	{"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n", SSH_KEY_RSA, true},
	{"-----BEGIN EC PRIVATE KEY-----\nMHcC\n", SSH_KEY_PLAIN, false},
	{"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE\n", SSH_KEY_PLAIN, true},
};

/* Their heads alone: made for this test, without what is secret. */
static void private_keys_tell_their_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++) {
		bool locked;
		enum ssh_key_kind kind = ssh_key_look(keys[i].text, &locked);

		if (kind != keys[i].kind || locked != keys[i].locked)
			fail_msg("key %zu: kind %d, locked %d", i, (int)kind, locked);
	}
}

static void commands_that_cure_take_any_folder(void **state)
{
	static const struct ssh_address there = {.user = "ann", .host = "cat", .port = 22};
	static const struct known_host changed = {
		.file = "/home/an n/known_hosts", .line = 1, .key = "AAAA", .type = ED};
	struct err e = {0};

	(void)state;
	(void)ssh_say_refused(&there, "/home/an n/id", &e);
	assert_string_equal(e.hint, "ssh-copy-id -i '/home/an n/id.pub' -p 22 ann@cat");
	(void)ssh_say_open_to_all("/home/an n/id", 0644, &e);
	assert_string_equal(e.hint, "chmod 600 '/home/an n/id'");
	(void)ssh_say_open_to_all("/home/ann/id", 0644, &e);
	assert_string_equal(e.hint, "chmod 600 /home/ann/id");
	(void)ssh_say_changed(&there, "SHA256:x", &changed, &e);
	assert_non_null(strstr(e.hint, "ssh-keygen -f '/home/an n/known_hosts' -R 'cat'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_are_found_as_ssh_finds_them),
		cmocka_unit_test(fingerprints_are_those_of_ssh_keygen),
		cmocka_unit_test(private_keys_tell_their_kind),
		cmocka_unit_test(commands_that_cure_take_any_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

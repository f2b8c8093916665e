/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_MESSAGE_H
#define MOUNT_SERVE_MESSAGE_H

#include "mount/serve/protobuf.h"

/*
 * What is in ttrpc's frames: its own Request and Response (request.proto of
 * github.com/containerd/ttrpc), and within these the messages of the confidential data
 * hub and of the attestation agent (protos/ of
 * github.com/confidential-containers/guest-components). Pure; all readers return 0,
 * or -EINVAL for what is no such message.
 */

/* google.rpc.Code, as far as it is used here. */
enum message_status {
	STATUS_OK = 0,
	STATUS_INVALID_ARGUMENT = 3,
	STATUS_DEADLINE_EXCEEDED = 4,
	STATUS_NOT_FOUND = 5,
	STATUS_RESOURCE_EXHAUSTED = 8,
	STATUS_FAILED_PRECONDITION = 9,
	STATUS_UNIMPLEMENTED = 12,
	STATUS_INTERNAL = 13,
	STATUS_UNAVAILABLE = 14,
};

#define MESSAGE_NAME_SIZE   128  /* bytes of a service's or method's name, with the NUL */
#define MESSAGE_STATUS_SIZE 1024 /* of what a status says */

struct message_request {
	char service[MESSAGE_NAME_SIZE]; /* "api.ImagePullService" */
	char method[MESSAGE_NAME_SIZE];  /* "PullImage" */
	struct proto_bytes payload;      /* within the bytes that were read */
	uint64_t timeout_ns;             /* 0: the caller waits for good */
};

int message_read_request(struct proto_bytes bytes, struct message_request *ret);

struct message_response {
	uint64_t status; /* enum message_status, or another of google.rpc.Code */
	char text[MESSAGE_STATUS_SIZE];
	struct proto_bytes payload;
};

int message_read_response(struct proto_bytes bytes, struct message_response *ret);

/* Both return the number of bytes, -E2BIG where they do not fit. */
int message_write_request(const struct message_request *request, uint8_t *out, size_t size);
int message_write_response(const struct message_response *response, uint8_t *out, size_t size);

/* api.ImagePullService/PullImage. */

#define PULL_SERVICE   "api.ImagePullService"
#define PULL_METHOD    "PullImage"
#define PULL_TEXT_SIZE 1024 /* bytes of either text, with the NUL */

struct pull_request {
	char image[PULL_TEXT_SIZE];  /* image_url: the reference, as the runtime has it */
	char bundle[PULL_TEXT_SIZE]; /* bundle_path: where rootfs is to be */
};

/* -E2BIG where one is longer. */
int message_read_pull(struct proto_bytes payload, struct pull_request *ret);
int message_write_pull_answer(const char *manifest_digest, uint8_t *out, size_t size);

/* attestation_agent.AttestationAgentService/ExtendRuntimeMeasurement. */

#define EXTEND_SERVICE "attestation_agent.AttestationAgentService"
#define EXTEND_METHOD  "ExtendRuntimeMeasurement"

struct extend_request {
	const char *domain, *operation, *content;
};

int message_write_extend(const struct extend_request *request, uint8_t *out, size_t size);

/* 0: extended. 1: this machine cannot. 2: the agent is configured not to. */
int message_read_extended(struct proto_bytes payload, uint64_t *ret_result);

#endif

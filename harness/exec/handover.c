/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/handover.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the descriptors, aligned as a header of theirs has to be. */
union ancillary {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(IFR_HANDOVER_MOST * sizeof(int))];
};

bool ifr_handover_send(int socket, const int *fd, unsigned count) {
	union ancillary ancillary = {0};
	char text = 0;
	struct iovec byte = {&text, 1};
	struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1};
	if (count) {
		message.msg_control = ancillary.bytes;
		message.msg_controllen = CMSG_SPACE(count * sizeof *fd);
		struct cmsghdr *head = CMSG_FIRSTHDR(&message);
		*head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		head->cmsg_len = CMSG_LEN(count * sizeof *fd);
		memcpy(CMSG_DATA(head), fd, count * sizeof *fd);
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

bool ifr_handover_receive(int socket, int first) {
	union ancillary ancillary = {0};
	char text;
	struct iovec byte = {&text, 1};
	struct msghdr message = {.msg_iov = &byte,
	                         .msg_iovlen = 1,
	                         .msg_control = ancillary.bytes,
	                         .msg_controllen = sizeof ancillary.bytes};
	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		return false;
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	size_t count = head && head->cmsg_type == SCM_RIGHTS ? (head->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
	for (size_t i = 0; i < count; i++) {
		int fd;
		memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
		if (dup2(fd, first + (int)i) < 0)
			return false;
	}
	return true;
}

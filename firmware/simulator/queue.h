/* A queue of dated measurements that grows as needed: what a simulated chip will measure, in time order. */
#ifndef QUEUE_H
#define QUEUE_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct measurement {
	uint64_t cycle;
	int32_t counts;   /* of a load cell */
	int16_t motion[7];
};

struct queue {
	struct measurement *at;
	size_t first, count, room;
};

static inline void queue_put(struct queue *queue, const struct measurement *item)
{
	if (queue->first + queue->count == queue->room) {
		if (queue->first > queue->count) {
			memcpy(queue->at, queue->at + queue->first, queue->count * sizeof *queue->at);
			queue->first = 0;
		} else {
			queue->room = queue->room ? 2 * queue->room : 256;
			queue->at = realloc(queue->at, queue->room * sizeof *queue->at);
			if (!queue->at) abort();
		}
	}
	queue->at[queue->first + queue->count++] = *item;
}

static inline const struct measurement *queue_head(const struct queue *queue)
{
	return queue->count ? queue->at + queue->first : NULL;
}

static inline void queue_drop(struct queue *queue)
{
	queue->first++;
	queue->count--;
}
#endif

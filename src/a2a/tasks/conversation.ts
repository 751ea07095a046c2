/**
 * The marks of a run that a message began: its id, which no other run has, and its conversation, which holds the id that the
 * client knows. A run within it inherits the conversation alone, and is no task.
 */
import type { ServerCallContext } from '@a2a-js/sdk/server'

/** The caller of a request, where the server has checked one: the resource of the runs that its messages begin. */
export function callerOf({ user }: Pick<ServerCallContext, 'user'>): string | undefined {
  return user?.isAuthenticated === true && user.userName !== '' ? user.userName : undefined
}

/** Tasks of callers whom nobody knows are apart from those of the others. */
export function conversationOf(caller: string | undefined, contextId: string): string {
  return `${caller === undefined ? 'a2a-open' : 'a2a'}:${contextId}`
}

/** The conversation as the client knows it. */
export function contextOf(conversationId: string): string {
  return conversationId.slice(conversationId.indexOf(':') + 1)
}

const mark = 'task-'

/** The id of a new task, and of its run. */
export function newTaskId(): string {
  return `${mark}${crypto.randomUUID()}`
}

export function isTaskId(runId: string): boolean {
  return runId.startsWith(mark)
}

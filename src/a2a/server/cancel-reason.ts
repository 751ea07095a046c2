/** The reason of runs that end because a client cancels their task. */
export const cancelReason = 'The client cancelled the task.'

/** The id of a message in the events of its run. `path`: of the agent. `message`: the key of the message in the agent. */
export function messageId(path: string, message: string): string {
  return `${path}:${message}`
}

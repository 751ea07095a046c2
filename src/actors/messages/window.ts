/** The last messages of a thread, as an agent sees them before its task. */

/**
 * At most `count` messages, the last ones. Where they fill the window, it begins with a message of the user: the answer to
 * a question that is no longer seen is left out, since many servers refuse a conversation that begins with an answer.
 */
export function windowOf<M extends { readonly role: string }>(
  messages: readonly M[],
  count: number,
): readonly M[] {
  if (messages.length < count) return messages
  const last = count === 0 ? [] : messages.slice(-count)
  const first = last.findIndex(({ role }) => role === 'user')
  return first === -1 ? [] : last.slice(first)
}

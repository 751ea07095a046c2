/** The rule of every model here: it calls each tool on offer once, in their order, and then answers with the last result. */

const args = {
  weather: { city: 'Oslo' },
  refund: { order: 'Order 7' },
  guide: { prompt: 'The weather in Oslo?' },
  'agent-guide': { prompt: 'The weather in Oslo?' },
}

let calls = 0

/** `called`: the names of the tools that the conversation has calls of. Without `name` it is an answer. */
export function replyTo({ offered, called, lastResult }) {
  const name = offered.find((tool) => !called.includes(tool))
  return name === undefined ? { text: lastResult } : { id: `call-${++calls}`, name, args: args[name] ?? {} }
}

/** A model that never answers: it counts its calls. */
export const endless = {
  count: 0,
  replyTo({ offered }) {
    const at = ++this.count
    // Each call has arguments of its own: no loop is recognised.
    return { id: `call-${at}`, name: offered[0], args: { city: `Town ${at}` } }
  },
}

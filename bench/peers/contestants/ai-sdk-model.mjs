/** A scripted model of the AI SDK, versions 2, 3 and 4 of its specification, for the contestants that take one. */

const input = { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 }
const output = { total: 10, text: 10, reasoning: 0 }

/** `renamed`: the call as the contestant names it, where it brings a tool of its own for delegations. */
export function scriptedModel(script, kit, { specificationVersion = 'v4', renamed = (call) => call } = {}) {
  const flat = specificationVersion === 'v2'
  const usage = flat
    ? { inputTokens: 40, outputTokens: 10, totalTokens: 50 }
    : { inputTokens: input, outputTokens: output }
  const finished = (reason) => (flat ? reason : { unified: reason, raw: reason })
  function reply({ prompt }) {
    const { text, calls } = kit.replyTo(idsOf(prompt), script)
    if (calls.length === 0) return { content: [{ type: 'text', text }], reason: 'stop' }
    return {
      content: calls.map((call) => {
        const { id, name, args } = renamed(call)
        return { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) }
      }),
      reason: 'tool-calls',
    }
  }
  return {
    specificationVersion,
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate(options) {
      const { content, reason } = reply(options)
      return { content, finishReason: finished(reason), usage, warnings: [] }
    },
    async doStream(options) {
      const { content, reason } = reply(options)
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] })
            for (const part of content) for (const chunk of chunksOf(part)) controller.enqueue(chunk)
            controller.enqueue({ type: 'finish', finishReason: finished(reason), usage })
            controller.close()
          },
        }),
      }
    },
  }
}

function chunksOf(part) {
  if (part.type === 'tool-call') return [part]
  return [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: part.text },
    { type: 'text-end', id: '0' },
  ]
}

/** Ids of the calls whose results are the last messages. */
function idsOf(prompt) {
  const ids = []
  for (let index = prompt.length - 1; prompt[index]?.role === 'tool'; index--)
    for (const part of prompt[index].content) if (part.type === 'tool-result') ids.push(part.toolCallId)
  return ids
}

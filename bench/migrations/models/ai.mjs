import { endless as never, replyTo } from './rule.mjs'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function modelBy(reply) {
  function answer({ prompt, tools = [] }) {
    const parts = prompt.flatMap(({ role, content }) => (role === 'system' ? [] : content))
    const result = parts.findLast(({ type }) => type === 'tool-result')?.output.value
    const { text, id, name, args } = reply({
      offered: tools.map((tool) => tool.name),
      called: parts.flatMap(({ type, toolName }) => (type === 'tool-call' ? [toolName] : [])),
      lastResult: result,
    })
    return name === undefined
      ? { part: { type: 'text', text }, reason: 'stop' }
      : {
          part: { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) },
          reason: 'tool-calls',
        }
  }
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'rule',
    supportedUrls: {},
    async doGenerate(options) {
      const { part, reason } = answer(options)
      return { content: [part], finishReason: { unified: reason, raw: reason }, usage, warnings: [] }
    },
    async doStream(options) {
      const { part, reason } = answer(options)
      const chunks =
        part.type === 'text'
          ? [
              { type: 'text-start', id: '0' },
              { type: 'text-delta', id: '0', delta: part.text },
              { type: 'text-end', id: '0' },
            ]
          : [part]
      const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage }
      return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...chunks, finish]) }
    },
  }
}

export const model = modelBy(replyTo)
export const endless = modelBy((asked) => never.replyTo(asked))
export const made = () => never.count

import { replyTo } from './rule.mjs'

export const model = {
  provider: 'scripted',
  modelId: 'rule',
  async generate({ messages, tools }, { onDelta } = {}) {
    const {
      text = '',
      id,
      name,
      args,
    } = replyTo({
      offered: tools.map((tool) => tool.name),
      called: messages.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => call.name)),
      lastResult: textOf(messages.findLast(({ role }) => role === 'tool')),
    })
    if (text !== '') onDelta?.({ type: 'text', text })
    return {
      text,
      toolCalls: name === undefined ? [] : [{ id, name, args }],
      finishReason: name === undefined ? 'stop' : 'tool-calls',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    }
  },
}

/** A result that is a text stands as it is; that of a subagent may have its text in an object. */
function textOf({ content } = { content: '' }) {
  return content.startsWith('{') ? JSON.parse(content).text : content
}

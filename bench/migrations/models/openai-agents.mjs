import { Usage, setTracingDisabled } from '@openai/agents'
import { endless as never, replyTo } from './rule.mjs'

setTracingDisabled(true)

function modelBy(reply) {
  return {
    async getResponse({ input, tools, handoffs }) {
      const items = typeof input === 'string' ? [] : input
      const result = items.findLast(({ type }) => type === 'function_call_result')?.output
      const { text, id, name, args } = reply({
        offered: [...tools.map((tool) => tool.name), ...handoffs.map(({ toolName }) => toolName)],
        called: items.flatMap((item) => (item.type === 'function_call' ? [item.name] : [])),
        lastResult: typeof result === 'string' ? result : result?.text,
      })
      const output =
        name === undefined
          ? {
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text }],
            }
          : { type: 'function_call', callId: id, name, status: 'completed', arguments: JSON.stringify(args) }
      return { usage: new Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2 }), output: [output] }
    },
    getStreamedResponse() {
      throw new Error('No program of these pages streams.')
    },
  }
}

export const model = modelBy(replyTo)
export const endless = modelBy((asked) => never.replyTo(asked))
export const made = () => never.count

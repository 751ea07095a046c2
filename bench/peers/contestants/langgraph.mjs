/** LangGraph: its prebuilt `createReactAgent`, without a checkpointer; a delegation is a tool that invokes another graph. */
import { AIMessage } from '@langchain/core/messages'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { tool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'

export function create(job, kit) {
  return runsOf(job, kit)
}

/** With its checkpointer in memory, which stores the state after each superstep. */
export function createWithCheckpoints(job, kit) {
  return runsOf(job, kit, new MemorySaver())
}

function runsOf(job, kit, checkpointer) {
  const graph = graphOf('lead', job, kit, checkpointer)
  const recursionLimit = 2 * kit.repliesOf(job.script) + 2
  let threads = 0
  return async () => {
    const configurable = checkpointer === undefined ? {} : { thread_id: String(threads++) }
    const { messages } = await graph.invoke(
      { messages: [{ role: 'user', content: job.task }] },
      { recursionLimit, configurable },
    )
    return messages.at(-1).text
  }
}

function graphOf(name, { instructions, script, helper }, kit, checkpointer) {
  const tools =
    helper === undefined
      ? [
          tool(kit.add, {
            name: 'add',
            description: kit.addDescription,
            schema: z.object({ a: z.number(), b: z.number() }),
          }),
        ]
      : [delegation(helper, kit)]
  return createReactAgent({
    name,
    llm: new ScriptedModel(script, kit),
    tools,
    prompt: instructions,
    ...(checkpointer === undefined ? {} : { checkpointer }),
  })
}

function delegation(helper, kit) {
  const graph = graphOf('helper', helper, kit)
  return tool(
    async ({ prompt }, config) => {
      const { messages } = await graph.invoke({ messages: [{ role: 'user', content: prompt }] }, config)
      return messages.at(-1).text
    },
    { name: 'agent-helper', description: kit.helperDescription, schema: z.object({ prompt: z.string() }) },
  )
}

class ScriptedModel extends BaseChatModel {
  constructor(script, kit) {
    super({ maxRetries: 0 })
    this.script = script
    this.kit = kit
  }

  _llmType() {
    return 'scripted'
  }

  bindTools() {
    return this
  }

  async _generate(messages) {
    const { text, calls } = this.kit.replyTo(idsOf(messages), this.script)
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, args })),
      usage_metadata: { input_tokens: 40, output_tokens: 10, total_tokens: 50 },
    })
    return { generations: [{ text, message }] }
  }
}

function idsOf(messages) {
  const ids = []
  for (let index = messages.length - 1; messages[index]?.type === 'tool'; index--)
    ids.push(messages[index].tool_call_id)
  return ids
}

/** Google ADK: an `LlmAgent` under an `InMemoryRunner`; a delegation is an `AgentTool`. Each run has a session in memory. */
import {
  AgentTool,
  BaseLlm,
  FunctionTool,
  InMemoryRunner,
  LlmAgent,
  LogLevel,
  setLogLevel,
} from '@google/adk'
import { z } from 'zod'

setLogLevel(LogLevel.ERROR)

export function create(job, kit) {
  const runner = new InMemoryRunner({ appName: 'bench', agent: agentOf('lead', job, kit) })
  return async () => {
    const session = await runner.sessionService.createSession({ appName: 'bench', userId: 'user' })
    let answer = ''
    const newMessage = { role: 'user', parts: [{ text: job.task }] }
    for await (const { content } of runner.runAsync({ userId: 'user', sessionId: session.id, newMessage }))
      answer = content?.parts?.[0]?.text ?? answer
    return answer
  }
}

function agentOf(name, { instructions, script, helper }, kit) {
  const tools =
    helper === undefined
      ? [
          new FunctionTool({
            name: 'add',
            description: kit.addDescription,
            parameters: z.object({ a: z.number(), b: z.number() }),
            execute: (args) => kit.add(args),
          }),
        ]
      : [new AgentTool({ agent: agentOf('helper', helper, kit) })]
  return new LlmAgent({
    name,
    description: kit.helperDescription,
    model: new ScriptedModel(script, kit),
    instruction: instructions,
    tools,
  })
}

class ScriptedModel extends BaseLlm {
  constructor(script, kit) {
    super({ model: 'scripted' })
    this.script = script
    this.kit = kit
  }

  async *generateContentAsync({ contents }) {
    const { text, calls } = this.kit.replyTo(idsOf(contents), this.script)
    const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: 10, totalTokenCount: 50 }
    const parts = calls.map(({ id, name, args }) => ({
      functionCall:
        name === 'add' ? { id, name, args } : { id, name: 'helper', args: { request: args.prompt } },
    }))
    yield { content: { role: 'model', parts: parts.length === 0 ? [{ text }] : parts }, usageMetadata }
  }

  async connect() {
    throw new Error('No contestant uses a live connection.')
  }
}

function idsOf(contents) {
  const parts = contents.at(-1)?.parts ?? []
  return parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse.id],
  )
}

/** What must, and what must not, compile. Checked by `npm run typecheck`: an expected error that is none is one. */
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  openai,
  type ChatModel,
  type MemoryStorage,
} from 'troupe'
import { z } from 'zod'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function expectType<Expected>() {
  return <Actual>(_value: Actual, _equal: Equal<Actual, Expected>): void => undefined
}

const model: ChatModel = openai('gpt-5-mini')

export const search = createTool({
  id: 'search',
  description: 'Searches.',
  inputSchema: z.object({ query: z.string(), limit: z.number().default(3) }),
  outputSchema: z.object({ hits: z.array(z.string()) }),
  requireApproval: (input) => {
    expectType<{ query: string; limit: number }>()(input, true)
    return input.limit > 10
  },
  execute: (input, { signal, idempotencyKey, resumeData }) => {
    expectType<{ query: string; limit: number }>()(input, true)
    expectType<AbortSignal>()(signal, true)
    expectType<string>()(idempotencyKey, true)
    void resumeData
    return { hits: [input.query] }
  },
})

createTool({
  id: 'wrong',
  description: 'Returns something else than it says.',
  inputSchema: z.object({}),
  outputSchema: z.object({ hits: z.array(z.string()) }),
  // @ts-expect-error the result does not fit the output schema
  execute: () => ({ hits: [1] }),
})

const writer = createAgent({
  id: 'writer',
  description: 'Writes.',
  instructions: '',
  model,
  tools: { search },
})

createAgent({ id: 'a', instructions: '', model, memory: true })
createAgent({
  id: 'a',
  instructions: '',
  model,
  memory: { lastMessages: 4, workingMemory: { template: 'Name:' } },
})
// @ts-expect-error there is no such option of memory
createAgent({ id: 'a', instructions: '', model, memory: { lastMessage: 4 } })
// @ts-expect-error a window is a number of messages
createAgent({ id: 'a', instructions: '', model, memory: { lastMessages: '4' } })

// @ts-expect-error an agent has no completion; a supervisor has
createAgent({ id: 'a', instructions: '', model, completion: { scorers: [] } })
// @ts-expect-error instructions are required
createAgent({ id: 'a', model })
// @ts-expect-error a tool is made with createTool
createAgent({ id: 'a', instructions: '', model, tools: { search: { execute: () => 1 } } })

export const memory: MemoryStorage = createTroupe({ agents: [writer] }).memory

const lead = createSupervisor({
  id: 'lead',
  instructions: '',
  model,
  agents: { writer },
  stopWhen: ({ stepCount, text, steps }) => stepCount > 3 && text !== '' && steps.length > 1,
  onIterationComplete: ({ iteration, currentStep, allSteps }) => {
    expectType<number>()(iteration, true)
    expectType<string>()(currentStep.text, true)
    return allSteps.length > 2 ? { continue: false } : { continue: true, feedback: 'more' }
  },
  delegation: {
    onDelegationStart: ({ prompt, agentId, args }) => {
      expectType<string>()(prompt, true)
      expectType<string>()(agentId, true)
      return args.maxSteps === 3 ? { proceed: false, rejectionReason: 'no' } : undefined
    },
    onDelegationComplete: async ({ bail, outcome, duration }) => {
      expectType<number>()(duration, true)
      if (outcome === 'succeeded') bail()
      // @ts-expect-error a rejected delegation has no completion
      return outcome === 'rejected' ? {} : undefined
    },
    messageFilter: ({ messages }) => messages.filter((message) => !message.content.includes('SECRET')),
  },
  completion: {
    scorers: [createScorer({ id: 's', score: ({ output }) => ({ score: output === '' ? 0 : 1 }) })],
  },
})

// @ts-expect-error a hook must answer with { continue }
createSupervisor({ id: 'l', instructions: '', model, onIterationComplete: () => ({ goOn: true }) })
// @ts-expect-error an agent comes from a create function
createSupervisor({ id: 'l', instructions: '', model, agents: { writer: 'writer' } })
// @ts-expect-error a score is a number, or has one
createScorer({ id: 's', score: () => 'good' })

export async function use(): Promise<void> {
  const result = await lead.generate('Write.', { maxSteps: 3, maxDepth: 2, threadId: 't' })
  switch (result.outcome) {
    case 'bailed':
      expectType<string>()(result.by, true)
      break
    case 'failed':
      expectType<string>()(result.error.code, true)
      break
    case 'suspended':
      expectType<string>()(result.awaiting[0]?.toolCallId ?? '', true)
      break
    case 'exhausted':
      expectType<string>()(result.reason, true)
      break
    default:
      // @ts-expect-error only a bail has `by`
      void result.by
  }
  // @ts-expect-error an agent takes no maxDepth
  await writer.generate('Write.', { maxDepth: 2 })
  // @ts-expect-error there is no such option
  await lead.generate('Write.', { maxStep: 2 })

  const troupe = createTroupe({ agents: [lead, writer] })
  const run = await troupe.start(lead, 'Write.', { maxDepth: 2, onFinish: ({ outcome }) => void outcome })
  // @ts-expect-error an agent takes no maxDepth
  await troupe.start(writer, 'Write.', { maxDepth: 2 })
  for await (const event of run.events) {
    if (event.type === 'delegation-end') expectType<string>()(event.payload.text, true)
    // @ts-expect-error there is no such event
    if (event.type === 'delegation-ended') return
  }
  // @ts-expect-error a final result is never suspended
  if ((await run.result).outcome === 'suspended') return
}

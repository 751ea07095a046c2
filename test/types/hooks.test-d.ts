/** What users' functions are given, what they may do with it, and what they may answer. */
import {
  createAgent,
  createSupervisor,
  openai,
  type CompletionResult,
  type DelegationStartContext,
  type HookError,
  type FinishReason,
  type Message,
  type StepRecord,
  type StopCondition,
  type ToolCallRecord,
  type ToolResultRecord,
  type Usage,
  textOf,
} from 'troupe'
import { expectType } from './expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'a', description: 'Writes.', instructions: '', model }
const writer = createAgent(common)
const agents = { writer, editor: writer }

createSupervisor({
  ...common,
  agents,
  stopWhen: (context) => {
    expectType<string>()(context.text)
    expectType<number>()(context.stepCount)
    expectType<readonly StepRecord[]>()(context.steps)
    // @ts-expect-error contexts are read only
    context.stepCount = 0
    // @ts-expect-error so is what they hold
    context.steps.length = 0
    return context.stepCount > 3
  },
  onIterationComplete: (context) => {
    expectType<number>()(context.iteration)
    expectType<number>()(context.maxSteps)
    expectType<string>()(context.runId)
    expectType<string>()(context.agentId)
    expectType<string>()(context.originalTask)
    expectType<readonly Message[]>()(context.messages)
    expectType<string>()(context.currentStep.text)
    expectType<readonly ToolCallRecord[]>()(context.currentStep.toolCalls)
    expectType<readonly ToolResultRecord[]>()(context.currentStep.toolResults)
    expectType<FinishReason>()(context.currentStep.finishReason)
    expectType<readonly StepRecord[]>()(context.allSteps)
    expectType<readonly string[]>()(context.subAgentsInvoked)
    expectType<string | undefined>()(context.threadId)
    expectType<string | undefined>()(context.resourceId)
    // @ts-expect-error contexts are read only
    context.currentStep.text = ''
    // @ts-expect-error there is no such field
    void context.prompt
    return context.iteration > 2 ? { continue: false } : { continue: true, feedback: 'more' }
  },
  delegation: {
    onDelegationStart: (context) => {
      expectType<'writer' | 'editor'>()(context.agentName)
      expectType<string>()(context.agentId)
      expectType<string>()(context.primitiveId)
      expectType<'agent'>()(context.primitiveType)
      expectType<string>()(context.prompt)
      expectType<string>()(context.delegationId)
      expectType<string>()(context.runId)
      expectType<number>()(context.iteration)
      expectType<string>()(context.originalTask)
      expectType<readonly Message[]>()(context.messages)
      expectType<string>()(context.args.prompt)
      expectType<number | null | undefined>()(context.args.maxSteps)
      // @ts-expect-error contexts are read only
      context.prompt = ''
      // @ts-expect-error a supervisor has no agent of this key
      if (context.agentName === 'wirter') return { proceed: false }
      // @ts-expect-error nothing can be bailed out of before it has begun
      void context.bail
      return {
        proceed: context.agentName === 'writer',
        rejectionReason: 'no',
        modifiedPrompt: '',
        modifiedInstructions: '',
        modifiedMaxSteps: 3,
      }
    },
    onDelegationComplete: async (context) => {
      expectType<'writer' | 'editor'>()(context.agentName)
      expectType<'succeeded' | 'failed' | 'timedOut' | 'exhausted'>()(context.outcome)
      expectType<string>()(context.text)
      expectType<string>()(context.result.text)
      expectType<HookError | undefined>()(context.error)
      expectType<Usage>()(context.usage)
      expectType<number>()(context.duration)
      expectType<void>()(context.bail())
      // @ts-expect-error a rejected delegation has no completion
      if (context.outcome === 'rejected') return {}
      // @ts-expect-error a supervisor has no agent of this key
      if (context.agentName === 'wirter') return {}
      return { feedback: 'good', resultText: '' }
    },
    messageFilter: ({ agentName, messages }) => {
      expectType<'writer' | 'editor'>()(agentName)
      // @ts-expect-error the conversation is read only
      messages.length = 0
      return messages.filter(({ content }) => !textOf(content).includes('SECRET'))
    },
  },
  completion: {
    scorers: [],
    onComplete: (result) => {
      expectType<CompletionResult>()(result)
      expectType<boolean>()(result.complete)
      expectType<'passed' | 'failed' | 'errored'>()(result.outcome)
      // @ts-expect-error contexts are read only
      result.complete = true
    },
  },
  onStepFinish: (context) => {
    expectType<number>()(context.step)
    expectType<string>()(context.text)
    expectType<FinishReason>()(context.finishReason)
    expectType<Usage>()(context.usage)
    expectType<readonly { readonly name: string; readonly args: unknown }[]>()(context.toolCalls)
    // @ts-expect-error contexts are read only
    context.usage.inputTokens = 0
  },
  onFinish: async (context) => {
    expectType<string>()(context.text)
    expectType<string | undefined>()(context.reason)
    expectType<HookError | undefined>()(context.error)
    expectType<readonly StepRecord[]>()(context.steps)
    // @ts-expect-error contexts are read only
    context.text = ''
  },
})

// A function that is kept elsewhere serves every supervisor, and so does one for some keys those that have them.
const onDelegationStart = ({ agentName }: DelegationStartContext): void => expectType<string>()(agentName)
createSupervisor({ ...common, agents, delegation: { onDelegationStart } })
const forWriters = ({ agentName }: DelegationStartContext<'writer'>): void =>
  expectType<'writer'>()(agentName)
createSupervisor({ ...common, agents: { writer }, delegation: { onDelegationStart: forWriters } })
// @ts-expect-error this supervisor has an editor too
createSupervisor({ ...common, agents, delegation: { onDelegationStart: forWriters } })

const longEnough: StopCondition = async ({ text }) => text.length > 100
createAgent({ ...common, stopWhen: [longEnough, ({ stepCount }) => stepCount > 3] })

// Answers.
// @ts-expect-error an iteration's hook answers with { continue }
createSupervisor({ ...common, onIterationComplete: () => ({ goOn: true }) })
// @ts-expect-error feedback alone does not say whether to go on
createSupervisor({ ...common, onIterationComplete: () => ({ feedback: 'more' }) })
// @ts-expect-error a start's hook answers with an object
createSupervisor({ ...common, delegation: { onDelegationStart: () => false } })
// @ts-expect-error `proceed` is a boolean
createSupervisor({ ...common, delegation: { onDelegationStart: () => ({ proceed: 'no' }) } })
// @ts-expect-error a cap is a number
createSupervisor({ ...common, delegation: { onDelegationStart: () => ({ modifiedMaxSteps: '3' }) } })
// @ts-expect-error feedback is a text
createSupervisor({ ...common, delegation: { onDelegationComplete: async () => ({ feedback: 1 }) } })
// @ts-expect-error a filter answers with messages
createSupervisor({ ...common, delegation: { messageFilter: () => ['hello'] } })
// @ts-expect-error a filter must answer
createSupervisor({ ...common, delegation: { messageFilter: () => undefined } })
// @ts-expect-error a condition answers with a boolean
createAgent({ ...common, stopWhen: () => 'yes' })

export async function calls(): Promise<void> {
  const lead = createSupervisor({ ...common, agents })
  await lead.generate('Go', {
    stopWhen: ({ stepCount }) => stepCount > 1,
    delegation: {
      onDelegationStart: ({ agentName }) => expectType<'writer' | 'editor'>()(agentName),
      // @ts-expect-error a supervisor has no agent of this key
      messageFilter: ({ agentName, messages }) => (agentName === 'wirter' ? [] : messages),
    },
  })
  // @ts-expect-error an agent delegates to nobody
  await writer.generate('Go', { delegation: {} })
  // @ts-expect-error an agent has no iterations to look at
  await writer.generate('Go', { onIterationComplete: () => undefined })
}

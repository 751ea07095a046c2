/** The endings of an agent, whatever its pattern: the facts without which no agent ends so. */
import type { AgentInput } from '../../../src/machines/contract/agent.ts'
import type { Facts, Reference } from './facts.ts'

const errors = ['fails', 'fails for now', 'times out', 'is over budget', 'lacks usage'] as const
const refusals = ['refuses', 'wants another', 'is refused as it comes'] as const

/** Somebody has said something that can be the answer. */
function hasAnswer(facts: Facts<AgentInput>): boolean {
  return (
    facts.had('model', 'answers', 'two throw as it comes') ||
    facts.had('processOutput', 'passes', 'changes') ||
    facts.had('delegation', 'is succeeded') ||
    facts.had('toolCall', 'succeeds') ||
    facts.had('decision', 'takes none') ||
    facts.had('completion', 'passes')
  )
}

function hasError(facts: Facts<AgentInput>): boolean {
  return facts.stimuli.some(
    (stimulus) =>
      stimulus.type === 'outcome' &&
      (stimulus.outcome.error !== undefined || [...errors, 'throws'].includes(stimulus.outcome.name)),
  )
}

/** The request of a meta-router names a task type, and none was configured for it at its start or since. */
function namesUnknownType({ input }: Facts<AgentInput>): boolean {
  const { taskType, taskTypes = [] } = input.profile.route ?? {}
  return taskType !== undefined && taskTypes.every(({ name }) => name !== taskType)
}

export const agentReference: Reference<AgentInput> = {
  completed: hasAnswer,
  // Rules 15 and 16.
  bailed: (facts) => facts.had('delegation', 'is bailed'),
  cancelled: (facts) => facts.heard('cancel') || facts.had('delegation', 'is cancelled'),
  stopped: (facts) =>
    facts.had('stopWhen', 'says stop') || facts.had('onIterationComplete', 'ends', 'ends with feedback'),
  tripped: (facts) =>
    facts.had('processInput', ...refusals) ||
    facts.had('processOutput', ...refusals) ||
    facts.had('model', 'is refused as it comes', 'two throw as it comes'),
  handedOff: (facts) =>
    facts.input.profile.handoffs !== undefined &&
    facts.stimuli.some(({ name }) => name.includes('hands off')) &&
    !facts.heard('budget spent'),
  // A run that fails has an error, an answer of no use, or nothing to work with.
  failed: (facts) =>
    hasError(facts) ||
    facts.had('model', 'refuses', 'is filtered', 'is empty', 'is cut off', 'two throw as it comes') ||
    facts.had('validateObject', 'has another shape') ||
    facts.had('processOutput', 'silences') ||
    facts.had('delegation', 'is failed') ||
    // Scored complete, and the last turn gives no answer.
    facts.had('completion', 'passes') ||
    facts.had('decision') ||
    namesUnknownType(facts) ||
    facts.stimuli.length === 0,
  exhausted: (facts) =>
    facts.had('model', 'is cut off') ||
    facts.heard('budget spent') ||
    facts.had('model', 'is over budget', 'lacks usage') ||
    facts.had('decision', 'is over budget', 'lacks usage') ||
    facts.had('completion', 'is unmet', 'fails') ||
    facts.had('delegation', 'is exhausted') ||
    isAtCap(facts),
}

/** Each step is a call of a model, a decision, or a round of subagents. */
function isAtCap(facts: Facts<AgentInput>): boolean {
  const { input } = facts
  return (
    facts.count('model') + facts.count('decision') + facts.count('delegation') >= input.maxSteps ||
    input.profile.maxRepeatedCalls !== undefined ||
    facts.stimuli.some(({ name }) => name.includes('hands off'))
  )
}

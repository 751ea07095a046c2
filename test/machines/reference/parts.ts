/** The endings of a tool call, a scoring, a decision and an agent elsewhere. */
import type { CompactionInput } from '../../../src/machines/compaction.ts'
import type { DecisionInput } from '../../../src/machines/decision.ts'
import type { CompletionInput } from '../../../src/machines/completion.ts'
import type { ToolCallInput } from '../../../src/machines/tool-call.ts'
import { toolCallSuite } from '../suites/tool-call.ts'
import type { Facts, Reference } from './facts.ts'

const needsAnswer = ({ input }: Facts<ToolCallInput>) =>
  ['approved', 'approvedLater', 'deadlined'].includes(input.call.name) && input.standing?.approved !== true

/** Rule 58: the schema of this tool answers in an effect, whose outcome the suite makes up: it may take any arguments. */
const isCheckedLater = (facts: Facts<ToolCallInput>) =>
  facts.input.call.name === 'approvedLater' && facts.had('signal', 'yes, with wrong arguments')

export const toolCallReference: Reference<ToolCallInput> = {
  // Rule 27: approved, it runs; nothing else lets it run.
  succeeded: (facts) =>
    (facts.lastHad('tool', 'returns', 'returns a file') ||
      facts.lastHad('signal', 'yes', 'gives the result')) &&
    (!needsAnswer(facts) ||
      facts.had('signal', 'yes', 'yes, with other arguments', 'gives the result') ||
      isCheckedLater(facts)) &&
    !facts.had('signal', 'no'),
  denied: (facts) =>
    !facts.heard('cancel', 'cancel for a bail') &&
    (facts.endedBy('signal', 'no') ||
      facts.endedBy('timer', 'fires') ||
      (facts.input.standing?.approved === false && facts.endedBy('requireApproval', 'needed'))),
  // Rule 7, and every error on the way.
  failed: (facts) =>
    facts.input.call.name === 'nonsense' ||
    facts.input === toolCallSuite.options.inputs['invalid arguments'] ||
    facts.had(
      'tool',
      'fails',
      'fails for now',
      'times out',
      'is interrupted',
      'may not have begun',
      'may have been made before a restore',
    ) ||
    facts.had('validateArguments', 'invalid', 'fails') ||
    facts.had('requireApproval', 'fails'),
  // A call that has no outcome when the time of the run is up is not carried out.
  cancelled: (facts) => facts.heard('cancel', 'cancel for a bail', 'budget spent'),
}

/** Rules 23 and 24. The scorers have the thresholds 1 and 0.5, so a score of 1 passes both, and 0 none. */
export const completionReference: Reference<CompletionInput> = {
  passed: (facts) => {
    const { completion } = facts.input
    const passes = facts.count('scorer', 'scores 1')
    return completion.strategy === 'any' ? passes >= 1 : passes === completion.scorers.length
  },
  failed: (facts) =>
    facts.input.completion.strategy === 'any'
      ? facts.count('scorer', 'scores 0') === facts.input.completion.scorers.length
      : facts.had('scorer', 'scores 0'),
  errored: (facts) =>
    facts.input.broken.length > 0 ||
    facts.had('scorer', 'fails') ||
    facts.had('timer', 'fires') ||
    facts.heard('cancel', 'budget spent'),
}

/** A useless summary, and a failure that may pass, are tried again as often as `retries` says, for each part. */
export const compactionReference: Reference<CompactionInput> = {
  compacted: (facts) => facts.endedBy('compaction', 'summarises') || facts.input.limits.target > 1_000,
  failed: (facts) =>
    facts.endedBy('compaction', 'fails', 'fails for now', 'says nothing', 'repeats all') ||
    facts.endedByEvent('budget spent'),
  cancelled: (facts) => facts.endedByEvent('cancel'),
}

/** Which of these events came first. */
const firstEvent = ({ stimuli }: Facts<DecisionInput>) => stimuli.find(({ type }) => type === 'event')?.name

/** Rule 30: one repair, then a typed failure. After a refusal for its length, one compaction until the server has replied. */
export const decisionReference: Reference<DecisionInput> = {
  made: (facts) =>
    facts.endedBy('model', 'chooses', 'chooses in a block of code') &&
    facts.count('model', 'chooses another', 'talks', 'is cut off') <= 1,
  failed: (facts) =>
    facts.endedBy('model', 'refuses', 'fails') ||
    facts.count('model', 'chooses another', 'talks', 'is cut off') === 2 ||
    facts.count('model', 'fails for now') >= 2 ||
    (facts.endedBy('model', 'is too long') && facts.count('model', 'is too long') >= 2) ||
    (facts.endedBy('model', 'fails for now') && facts.had('model', 'is too long')) ||
    (facts.endedBy('compaction', 'has no summary', 'fails') && facts.had('model', 'is too long')) ||
    firstEvent(facts) === 'budget spent',
  cancelled: (facts) => firstEvent(facts) === 'cancel',
}

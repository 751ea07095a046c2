/** The endings of an agent that thinks and acts, and of a supervisor. */
import { Story } from '../story/story.ts'
import { referenceOf, type LateRow, type Row, type Table } from '../table.ts'

export const cancelled = 'cancelled enough'
export const outOfBudget = 'exhausted budget'
export const usageUnknown = 'exhausted budget USAGE_UNKNOWN'

const tooLong = 'failed CONTEXT_LENGTH_EXCEEDED'

export const failed = ({ error }: Story) => `failed ${error}`
const isModelError = (story: Story, ...outcomes: readonly string[]) =>
  story.fails('model') && story.gets('model', ...outcomes)

/** An agent that is not prepared calls no model, not even for a last turn. */
export const preparing: readonly Row[] = [
  { ending: failed, when: (story) => story.fails('configure') },
  { ending: failed, when: (story) => story.gets('memory:recall') && story.error !== undefined },
  { ending: ({ prompt }) => `failed ${prompt.failure}`, when: ({ prompt }) => prompt.failure !== undefined },
  { ending: 'tripped secret TRIPPED', when: ({ prompt }) => prompt.isRefused },
  { ending: outOfBudget, when: ({ isOutOfTime, isPrepared }) => isOutOfTime && !isPrepared },
]

/** A reply that is no answer and no list of calls ends the agent. */
export const replying: readonly Row[] = [
  { ending: usageUnknown, when: (story) => story.gets('model', 'lacks usage') },
  { ending: outOfBudget, when: (story) => story.gets('model', 'is over budget'), lastTurn: 'unless silent' },
  {
    ending: failed,
    when: (story) =>
      !story.isFalling &&
      (isModelError(story, 'fails') ||
        (story.fails('model') && !story.isMadeShorter && story.failures > story.profile.retries)),
  },
  {
    ending: tooLong,
    when: (story) => story.gets('model', 'is too long') && !story.isMadeShorter,
  },
  {
    ending: tooLong,
    when: (story) => story.wasTooLong && story.gets('compaction', 'has no summary', 'fails'),
  },
  {
    ending: ({ reply }) => `failed ${reply?.screening?.failure}`,
    when: ({ reply }) => reply?.screening?.failure !== undefined,
  },
  { ending: 'tripped secret TRIPPED', when: ({ reply }) => reply?.screening?.isRefused === true },
  {
    ending: ({ reply }) =>
      reply?.value.finishReason === 'refusal' ? 'failed MODEL_REFUSED' : 'failed CONTENT_FILTERED',
    when: ({ reply }) => reply?.isRead === true && reply.isRefusal,
  },
  { ending: failed, when: (story) => story.fails('validateObject') },
  { ending: 'failed TOOL_CALL_MISSING', when: ({ reply }) => reply?.isUncalled === true },
  { ending: 'failed INVALID_OBJECT', when: ({ reply }) => reply?.shape === 'wrong' },
]

const handingOff: readonly Row[] = [
  {
    ending: 'exhausted handoffs',
    when: ({ isHandingOff, input: { opening } }) =>
      isHandingOff && opening.line !== undefined && opening.line.handoffs >= opening.line.maxHandoffs,
    lastTurn: 'unless silent',
  },
  { ending: failed, when: (story) => story.fails('handoffFilter') && !story.ignoresHookErrors },
  {
    ending: 'handedOff',
    when: (story) => story.isHandingOff && (!story.has('handoffFilter') || story.said('handoffFilter')),
  },
]

/** A review comes before the scorers, and both before the stop condition. */
export const judging: readonly Row[] = [
  { ending: failed, when: (story) => story.fails('onIterationComplete') && !story.ignoresHookErrors },
  { ending: 'stopped onIterationComplete', when: (story) => story.gets('onIterationComplete', 'ends') },
  {
    ending: 'stopped onIterationComplete',
    when: (story) => story.gets('onIterationComplete', 'ends with feedback'),
    lastTurn: 'always',
  },
  {
    ending: 'completed',
    when: ({ isScored, isAccepted, isAnswer, isIdle }) => isScored && isAccepted && isAnswer && isIdle,
  },
  {
    ending: 'completed',
    when: ({ isScored, isAccepted, isIdle, isAnswerWritten }) =>
      isScored && isAccepted && isIdle && !isAnswerWritten,
    lastTurn: 'always',
  },
  {
    ending: 'exhausted completion',
    when: (story) =>
      story.gets('completion') && isUnmet(story) && story.profile.completion?.continueOnFail === false,
    lastTurn: 'unless silent',
  },
  { ending: 'stopped stopWhen', when: (story) => story.gets('stopWhen', 'says stop') },
  { ending: failed, when: (story) => story.fails('stopWhen') && !story.ignoresHookErrors },
]

/** Asked where another step would follow. */
export const capped: readonly Row[] = [
  {
    ending: 'exhausted length',
    when: (story) =>
      goesOn(story) &&
      !story.isObjectedTo &&
      story.reply?.value.finishReason === 'length' &&
      story.reply.value.toolCalls.length === 0,
    lastTurn: 'unless silent',
  },
  {
    ending: 'exhausted completion',
    when: (story) => goesOn(story) && isUnmet(story) && story.isAtCap,
    lastTurn: 'unless silent',
  },
  {
    ending: 'exhausted loop',
    // Each call of the suites is the same as the one before.
    when: (story) => goesOn(story) && story.profile.maxRepeatedCalls === 1 && story.hasCalled,
    lastTurn: 'unless silent',
  },
  {
    ending: ({ cap }) => `exhausted ${cap}`,
    when: (story) =>
      story.isAtCap && (goesOn(story) || (story.isJudged && story.isAccepted && hasResults(story))),
    lastTurn: 'unless silent',
  },
]

/** Nothing accepts the step as the last one. */
function goesOn(story: Story): boolean {
  return story.isJudged && !story.isAccepted
}

function isUnmet(story: Story): boolean {
  return story.said('completion', 'is unmet', 'fails')
}

/** Results from the background that the model has not read, and for none of which the agent waits any more. */
function hasResults(story: Story): boolean {
  return story.hasNotices && !story.waitsForBackground
}

const bailed: Row = {
  ending: 'bailed',
  when: (story) => story.hasBailed && (story.profile.bailStrategy === 'first' || !story.calls.areOpen),
}

/** Cancel, bail, the time of the run: in this order, and before anything else. */
export const interrupted: readonly Row[] = [
  { ending: cancelled, when: (story) => story.hears('cancel') },
  bailed,
  {
    ending: outOfBudget,
    when: (story) => story.hears('budget spent') && story.isAskedWhetherToStop,
  },
  {
    ending: outOfBudget,
    when: (story) => story.isOutOfTime && story.isPrepared && !story.areChildrenAtWork,
    lastTurn: 'unless silent',
  },
]

function failsForGood(story: Story): boolean {
  return story.fails('model') && !story.isMadeShorter && !story.isFalling
}

/** `completed` in the last turn: the scorers have passed the work, and the answer is still to come. */
export const lastTurn: readonly LateRow[] = [
  { ending: cancelled, when: (story) => story.hears('cancel') },
  { ending: 'bailed', when: (story) => story.hasBailed },
  { ending: usageUnknown, when: (story) => story.gets('model', 'lacks usage') },
  {
    ending: failed,
    when: (story, ending) => failsForGood(story) && ending === 'completed' && !story.hasSpoken,
  },
  { ending: (_, ending) => ending, when: failsForGood },
  {
    ending: ({ reply }) => `failed ${reply?.screening?.failure}`,
    when: ({ reply }) => reply?.screening?.failure !== undefined,
  },
  { ending: 'tripped secret TRIPPED', when: ({ reply }) => reply?.screening?.isRefused === true },
  {
    ending: 'failed NO_ANSWER',
    when: (story, ending) => story.reply?.isAccepted === true && ending === 'completed' && !story.hasSpoken,
  },
  { ending: (_, ending) => ending, when: ({ reply }) => reply?.isAccepted === true },
]

/** A settled ending stands; but the end of background work can be cancelled, and after a cancel no agent goes on. */
const crossing: readonly LateRow[] = [
  {
    ending: cancelled,
    when: (story, ending) =>
      story.hears('cancel') && ending !== 'bailed' && (ending === 'handedOff' || story.background.areAtWork),
  },
  {
    ending: outOfBudget,
    when: (story, ending) =>
      story.hears('budget spent') && ending === 'handedOff' && !story.background.areAtWork,
  },
]

export const loopTable: Table = {
  rows: [...interrupted, ...preparing, ...replying, ...handingOff, ...judging, ...capped],
  lastTurn,
  crossing,
}

class LoopStory extends Story {
  override get readsSayings(): boolean {
    return true
  }
}

export const loopReference = referenceOf(loopTable, (input) => new LoopStory(input))

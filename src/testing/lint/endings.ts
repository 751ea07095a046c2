/** Endings that cannot occur, and feedback that no step reads. */
import { finding, type Finding } from './finding.ts'
import { hasCalls, type AgentTree, type Place } from './tree.ts'

export function endings({ byAgent }: AgentTree): Finding[] {
  return byAgent.flatMap(([place]) => [
    ...stepsAfterCalls(place),
    ...stepsForAnswer(place),
    ...scoringFeedback(place),
    ...scorersThatPass(place),
  ])
}

/** The patterns that call and answer in the same loop. */
const looping: readonly string[] = ['react', 'supervisor', 'reflexion', 'router']

/** An agent of one step that calls something has no step left for its answer. */
function stepsAfterCalls(place: Place): Finding[] {
  const { path, definition, maxSteps, profile } = place
  if (!looping.includes(definition.pattern) || maxSteps > 1 || !hasCalls(place)) return []
  const cap = definition.pattern === 'router' ? 'maxIterations' : 'maxSteps'
  return [
    profile.onExhausted === 'stop'
      ? finding(
          'no-step-after-calls',
          path,
          `With ${cap} 1 and onExhausted "stop" it can call and never answer from the results: it ends as exhausted.`,
        )
      : finding(
          'calls-end-exhausted',
          path,
          `With ${cap} 1 a run that calls anything ends as exhausted, after a final turn, and never as completed.`,
        ),
  ]
}

/** Rounds are steps: one step leaves none for the answer. */
function stepsForAnswer({ path, definition: { pattern }, maxSteps }: Place): Finding[] {
  if ((pattern !== 'fan-out' && pattern !== 'debate') || maxSteps > 1) return []
  return [
    finding(
      'no-step-for-answer',
      path,
      'It never ends as completed: its first round is a step, and maxSteps is 1, so no step is left for the answer.',
    ),
  ]
}

function scoringFeedback({ path, profile, options, maxSteps }: Place): Finding[] {
  const { completion } = profile
  if (completion === undefined) return []
  if (options.completion?.feedbackToLLM === true && !completion.continueOnFail) {
    return [
      finding(
        'feedback-without-continuation',
        `${path}.completion`,
        'With continueOnFail: false the run ends where the scorers are not satisfied, so feedbackToLLM: true tells nothing to the model.',
      ),
    ]
  }
  if (!completion.continueOnFail || maxSteps > 1) return []
  return [
    finding(
      'feedback-never-read',
      `${path}.completion`,
      'There is one step: where the scorers are not satisfied no other step follows, and nothing reads their feedback.',
    ),
  ]
}

function scorersThatPass({ path, profile: { completion } }: Place): Finding[] {
  return (completion?.scorers ?? [])
    .filter(({ threshold }) => threshold === 0)
    .map(({ id }) =>
      finding(
        'scorer-always-passes',
        `${path}.completion.scorers.${id}`,
        'Its threshold is 0, which every score reaches: it decides nothing unless it throws.',
      ),
    )
}

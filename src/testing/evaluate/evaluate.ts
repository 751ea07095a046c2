/** `evaluate`: runs cases with recorded tools and the model of today, and scores the answers. */
import { asDefinition, type AnyAgent, type AgentDefinition } from '../../runtime/definition/definition.ts'
import { createTroupe } from '../../runtime/troupe/troupe.ts'
import {
  readEvaluation,
  type EvaluateOptions,
  type EvaluationCase,
  type Prepared,
  type Settings,
} from './options.ts'
import { good, runCase, type OpenTroupe, type CaseRun } from './run-case.ts'
import { reportOf, type CaseReport, type EvaluationReport } from './report.ts'
import { textOf } from '../../actors/content/content.ts'
import type { Prompt } from '../../actors/message.ts'
import { scored, type CaseScore } from './scoring.ts'
import { writeTools } from './tool-recording.ts'

/**
 * Runs each case in a troupe of its own, a run for each message of its user: the models are asked, hooks are called, and tools answer from the recording of
 * the case, by their name and arguments. The n-th equal call gets the n-th recorded result, and each later one the last.
 * A call that a person had to approve is answered as it was recorded. A call without a recording ends its run, and
 * the case has not passed. Rejects with a `ConfigurationError` for a wrong option, case or recording, before any run.
 */
export async function evaluate<Options extends object, Object, Args extends readonly unknown[]>(
  agent: AnyAgent<Options, Object, Args>,
  cases: readonly EvaluationCase<Options>[],
  options?: EvaluateOptions<Options>,
): Promise<EvaluationReport>
export async function evaluate(
  agent: AnyAgent,
  cases: readonly EvaluationCase[],
  options: EvaluateOptions = {},
): Promise<EvaluationReport> {
  const { settings, ready } = readEvaluation(asDefinition(agent), cases, options)
  const reports = new Map<Prepared, CaseReport>()
  const queue = ready.values()
  const work = async (): Promise<void> => {
    for (const one of queue) reports.set(one, await evaluated(one, asDefinition(agent), settings, open))
  }
  await Promise.all(Array.from({ length: settings.concurrency }, work))
  return reportOf(
    ready.flatMap((one) => reports.get(one) ?? []),
    settings.gates,
  )
}

/** Runs and scores one case, and says why it has not passed. */
async function evaluated(
  one: Prepared,
  agent: AgentDefinition,
  settings: Settings,
  open: OpenTroupe,
): Promise<CaseReport> {
  const { agents, unrecorded, scorers, userTimeout } = settings
  const { expected, user = [], maxTurns = mostTurns, outcome } = one
  const mayRun = unrecorded === 'run'
  const done = await runCase({ ...one, agent, agents, user, maxTurns, outcome, userTimeout, mayRun, open })
  const { result, calls, tools, missing, problems, turns, messages, userUsage } = done
  const input = promptText(one.prompt)
  const context = {
    input,
    output: result.text,
    run: { input, output: result.text },
    messages,
    iteration: 1,
    result,
    expected,
    calls,
    turns,
  }
  const scores = await Promise.all(scorers.map((scorer) => scored(scorer, context)))
  const reasons = reasonsOf(one, done, scores)
  return {
    name: one.name,
    passed: reasons.length === 0,
    reasons,
    result,
    turns,
    userUsage,
    scores,
    calls,
    replayed: tools.replayed,
    ran: tools.ran,
    unrecorded: missing,
    unused: tools.unused,
    recording: writeTools(calls),
    problems,
  }
}

const mostTurns = 10

function reasonsOf({ outcome }: Prepared, done: CaseRun, scores: readonly CaseScore[]): string[] {
  const { result, missing, waiting, turns, cut } = done
  const isExpected = outcome === undefined ? good.includes(result.outcome) : result.outcome === outcome
  const wanted = outcome ?? good.join(', ')
  const calls = [
    ...missing.map(({ tool, args }) => `There is no recording of the call ${tool} ${JSON.stringify(args)}.`),
    ...waiting.map(({ tool, args }) => `The call ${tool} ${JSON.stringify(args)} waits for a person.`),
  ]
  return [
    ...calls,
    ...(isExpected || calls.length > 0
      ? []
      : [
          `${turns.length > 1 ? `Turn ${turns.length}: the` : 'The'} outcome is ${result.outcome}, expected: ${wanted}.${whyOf(result)}`,
        ]),
    ...(cut === undefined ? [] : [cut]),
    ...scores.filter(({ passed }) => !passed).map(failedScore),
  ]
}

function whyOf(result: CaseRun['result']): string {
  if ('error' in result && result.error !== undefined)
    return ` ${result.error.message} (${result.error.code})`
  return 'reason' in result ? ` ${result.reason}` : ''
}

function failedScore({ scorer, score, threshold, reason, error }: CaseScore): string {
  if (error !== undefined) return `The scorer "${scorer}" failed: ${error.message}`
  const because = reason === undefined ? '' : `: ${reason}`
  return `The scorer "${scorer}" gave ${score}, less than ${threshold}${because}`
}

/** The text of the last message of the user. */
function promptText(prompt: Prompt): string {
  if (typeof prompt === 'string') return prompt
  return textOf(prompt.findLast(({ role }) => role === 'user')?.content ?? '')
}

/** A run stays in memory until it has ended: its questions are answered at once. */
const open: OpenTroupe = (agents, onError) =>
  createTroupe({ agents, onError, passivateAfter: Number.POSITIVE_INFINITY })

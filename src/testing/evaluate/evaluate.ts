/** `evaluate`: runs cases with recorded tools and the model of today, and scores the answers. */
import { asDefinition, type AnyAgent } from '../../runtime/definition/definition.ts'
import { createTroupe } from '../../runtime/troupe/troupe.ts'
import { evaluated } from './case-report.ts'
import { readEvaluation, type EvaluateOptions, type EvaluationCase, type Prepared } from './options.ts'
import type { OpenTroupe } from './run-case.ts'
import { reportOf, type CaseReport, type EvaluationReport } from './report.ts'

/**
 * Runs each case in a troupe of its own: the models are asked, hooks are called, and tools answer from the recording of
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
  return reportOf(ready.flatMap((one) => reports.get(one) ?? []))
}

/** A run stays in memory until it has ended: its questions are answered at once. */
const open: OpenTroupe = (agents, onError) =>
  createTroupe({ agents, onError, passivateAfter: Number.POSITIVE_INFINITY })

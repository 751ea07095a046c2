/** `troupe evaluate`: runs the evaluations that modules export. The exit code says whether their gates hold. */
import { ConfigurationError } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { readArguments } from './arguments.ts'
import type { Evaluation, EvaluationReport } from 'troupe/testing'
import { CommandSources } from './command-sources.ts'
import { exitCodes } from './in-terminal.ts'
import type { Terminal } from './terminal.ts'

export const evaluateHelp = `  troupe evaluate <module>… [--save <file>] [--baseline <file>] [--json]

  <module>                 exports evaluations, as createEvaluation of troupe/testing makes them
  --save <file>            keeps the reports, by the ids of the evaluations, as JSON
  --baseline <file>        reports that were saved before: each is compared, and no case may be lost
  --json                   prints the reports as JSON

  Exit codes: 0 all gates hold. 4 a gate does not hold. 1 wrong arguments, or a module that cannot be loaded.
`

const options = {
  save: { type: 'string' },
  baseline: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

type Reports = Readonly<Record<string, EvaluationReport>>

/** Resolves with the exit code. Rejects with a `ConfigurationError`. */
export async function evaluateModules(
  args: readonly string[],
  { print }: Pick<Terminal, 'print'>,
): Promise<number> {
  const { values, positionals: modules } = parsed(args)
  if (modules.length === 0)
    throw new ConfigurationError('evaluate: name a module, for example: troupe evaluate evals.ts')
  const evaluations = await evaluationsOf(modules)
  const before = values.baseline === undefined ? {} : await reportsIn(values.baseline)
  const { compareEvaluations, formatComparison, formatEvaluation } = await import('troupe/testing')
  const reports: Record<string, EvaluationReport> = {}
  let hold = true
  for (const evaluation of evaluations) {
    const report = await evaluation.run()
    reports[evaluation.id] = report
    hold &&= report.passed
    const baseline = before[evaluation.id]
    const compared = baseline && compareEvaluations(baseline, report)
    hold &&= compared?.passed ?? true
    if (values.json) continue
    print(`${evaluation.id}\n\n${formatEvaluation(report)}\n`)
    if (compared !== undefined) print(`Beside ${values.baseline}:\n\n${formatComparison(compared)}\n`)
  }
  const text = `${JSON.stringify(reports, undefined, 2)}\n`
  if (values.json) print(text)
  if (values.save !== undefined) await save(values.save, text)
  return hold ? exitCodes.done : exitCodes.endedOtherwise
}

function parsed(args: readonly string[]) {
  return readArguments('evaluate', args, options)
}

async function evaluationsOf(modules: readonly string[]): Promise<readonly Evaluation[]> {
  const from = new CommandSources('evaluate')
  const found = new Map<string, Evaluation>()
  for (const path of modules) {
    const exported = Object.values(await from.load(path))
      .flat()
      .filter(isEvaluation)
    if (exported.length === 0)
      throw new ConfigurationError(
        `evaluate: "${path}" exports no evaluation. Make it with createEvaluation of troupe/testing.`,
      )
    for (const evaluation of exported) {
      if ((found.get(evaluation.id) ?? evaluation) !== evaluation)
        throw new ConfigurationError(`evaluate: two evaluations have the id "${evaluation.id}".`)
      found.set(evaluation.id, evaluation)
    }
  }
  return [...found.values()]
}

/** A module exports other things too. */
function isEvaluation(value: unknown): value is Evaluation {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'type') === 'evaluation'
}

async function reportsIn(path: string): Promise<Reports> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Reports
  } catch (cause) {
    throw new ConfigurationError(
      `evaluate: --baseline: "${path}" cannot be read: ${toErrorData(cause).message}`,
      { cause },
    )
  }
}

async function save(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: unknown): never => {
    throw new ConfigurationError(`evaluate: "${path}" cannot be written: ${toErrorData(cause).message}`, {
      cause,
    })
  })
}

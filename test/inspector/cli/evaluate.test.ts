/** `troupe evaluate`: a check of a pipeline, by its exit code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EvaluationReport } from 'troupe/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { runCommand } from '../../../src/inspector/cli/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const evals = join(import.meta.dirname, 'evals.ts')

async function evaluate(...args: readonly string[]) {
  const [printed, errors]: [string[], string[]] = [[], []]
  const code = await runCommand(['evaluate', ...args], {
    print: (text) => void printed.push(text),
    printError: (text) => void errors.push(text),
    interrupted: () => new Promise(() => undefined),
  })
  return { code, printed: printed.join(''), errors: errors.join('') }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

test('the exit code says whether the gates hold', async () => {
  const good = await evaluate(evals)
  expect(good).toMatchObject({ code: 0, errors: '' })
  expect(good.printed).toMatch(/^greeter\n\n\| case \|[^]*\n\| hello \| yes \| completed \| 1\.00 \| 15 \|\n/)
  vi.stubEnv('EVALS_ANSWER', 'Bad.')
  const bad = await evaluate(evals)
  expect(bad).toMatchObject({ code: 4, errors: '' })
  expect(bad.printed).toContain('- hello: The scorer "good" gave 0, less than 1\n')
})

test('reports are kept, and are the baseline of a later run', async () => {
  using folder = temporaryFolder()
  const file = folder.file('reports.json')
  expect((await evaluate(evals, '--save', file)).code).toBe(0)
  const { greeter } = JSON.parse(readFileSync(file, 'utf8')) as { readonly greeter: EvaluationReport }
  expect(greeter).toMatchObject({ passed: true, cases: [{ name: 'hello' }] })
  const same = await evaluate(evals, '--baseline', file)
  expect(same.code).toBe(0)
  expect(same.printed).toContain(`Beside ${file}:\n\n| case |`)
  vi.stubEnv('EVALS_ANSWER', 'Bad.')
  const worse = await evaluate(evals, '--baseline', file)
  expect(worse.code).toBe(4)
  expect(worse.printed).toContain('| hello | yes → no | completed | 1.00 → 0.00 | 15 |')
})

test('as JSON, for programs', async () => {
  const { printed } = await evaluate(evals, '--json')
  expect(JSON.parse(printed)).toMatchObject({ greeter: { passed: true } })
})

test('what a model writes reaches no terminal as it is', async () => {
  vi.stubEnv('EVALS_ANSWER', 'Bad.')
  const { formatEvaluation } = await import('troupe/testing')
  const report = (JSON.parse((await evaluate(evals, '--json')).printed) as { greeter: EvaluationReport })
    .greeter
  const [one] = report.cases
  if (one === undefined) throw new Error('There is a case.')
  const text = formatEvaluation({ ...report, cases: [{ ...one, reasons: ['\u001B[2Jgone\u202E'] }] })
  for (const mark of ['\u001B', '\u202E']) expect(text).not.toContain(mark)
  expect(text).toContain('gone')
})

test.each<[readonly string[], string]>([
  [[], 'evaluate: name a module, for example: troupe evaluate evals.ts'],
  [['missing.ts'], 'evaluate: "missing.ts" cannot be loaded: '],
  [[join(import.meta.dirname, 'agents.ts')], 'exports no evaluation. Make it with createEvaluation'],
  [[evals, '--baseline', 'none.json'], 'evaluate: --baseline: "none.json" cannot be read: '],
  [[evals, '--gate'], 'evaluate: there is no option "gate"'],
])('%j is refused by name', async (args, message) => {
  const { code, errors } = await evaluate(...args)
  expect(code).toBe(1)
  expect(errors).toContain(message)
})

test('a baseline that is none is refused by name', async () => {
  using folder = temporaryFolder()
  const file = folder.file('reports.json')
  writeFileSync(file, '{"greeter": 7}')
  const { code, errors } = await evaluate(evals, '--baseline', file)
  expect(code).toBe(1)
  expect(errors).toContain('compareEvaluations: before must be a report of evaluate, not 7')
})

/**
 * What the library costs, beside a hand-written loop and plain XState: `npm run bench`, or a part of it, as in
 * `npm run bench -- d import`. What it measures and how, and what it said: README.md.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { reportBail } from './bail.ts'
import { coldImports } from './footprint/cold-import.ts'
import { installedPackages } from './footprint/installed-size.ts'
import { installPacked } from './footprint/packed-project.ts'
import { nothing, peakMemory } from './footprint/peak-memory.ts'
import { quick } from './peers/quick.ts'
import { verdictOf, type Verdict } from './report/budgets.ts'
import { comparisonOf, growthOf, ratiosOf } from './report/comparison.ts'
import {
  printComparison,
  printGrowth,
  printImports,
  printLatency,
  printPackages,
  printPeaks,
  printSharedTroupe,
  printVerdicts,
} from './report/tables.ts'
import { scenarios } from './scenarios/all.ts'
import { httpField, inProcessField, troupeOnNode } from './scenarios/field.ts'
import { fanOutOf } from './scenarios/fan-out.ts'
import { wideStepOf } from './scenarios/wide-step.ts'
import type { Entry, Scenario } from './scenarios/scenario.ts'
import { addedLatency, latencies } from './scenarios/latency.ts'
import { sharedTroupe } from './scenarios/troupe-processes.ts'
import { compare, type Measurement, type Rounds } from './support/measure.ts'
import { startModelServer } from './support/model-server-process.ts'

const scenarioIds = Object.keys(scenarios) as (keyof typeof scenarios)[]
const parts = [...scenarioIds, 'f', 'g', 'h', 'latency', 'memory', 'import', 'bail', 'quick'] as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Overrides how many rounds count. */
    rounds: { type: 'string' },
    /** Where the model is: `in-process`, `http`, or `both`. */
    model: { type: 'string', default: 'both' },
    /** One contestant alone, for a profile. */
    only: { type: 'string' },
    /** A file for all numbers. */
    json: { type: 'string' },
    /** Of the part `quick`: keeps the ratios, and a folder to install into that is used again. */
    keep: { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
})
const unknown = positionals.find((name) => !parts.some((part) => part === name))
if (unknown !== undefined) throw new Error(`There is no part "${unknown}". Known: ${parts.join(', ')}.`)

const chosen = (part: string): boolean => positionals.length === 0 || positionals.includes(part)
/** Never a part of all. */
const isQuick = positionals.includes('quick')
const report: Record<string, unknown> = {}
const verdicts: Verdict[] = []

async function main(): Promise<void> {
  if (isQuick) {
    const { rounds, folder, keep } = values
    const holds = await quick({
      keep,
      ...(rounds === undefined ? {} : { rounds: Number(rounds) }),
      ...(folder === undefined ? {} : { folder }),
    })
    process.exitCode = holds ? 0 : 1
    return
  }
  if (globalThis.gc === undefined)
    console.warn('Without --expose-gc the numbers hold garbage of one another.')
  console.log(`node ${process.version}, ${process.platform} ${process.arch}`)
  const chosenScenarios = scenarioIds.filter(chosen).map((id) => scenarios[id])
  if (values.model !== 'http') for (const scenario of chosenScenarios) await measureInProcess(scenario)
  if (values.model !== 'in-process' && chosenScenarios.length > 0) await measureOverHttp(chosenScenarios)
  if (chosen('f') && values.model !== 'http')
    await measureGrowth('(f) a fan-out, model in this process', 'fanOut', [fanOutOf(100), fanOutOf(1000)])
  if (chosen('g') && values.model !== 'http') {
    const calls = { call: 'tool calls', all: 4000, hasWindow: true } as const
    const steps = [125, 4000].map((count) => wideStepOf({ ...calls, calls: count }))
    await measureGrowth('(g) a wide step, model in this process', 'wideStep', steps)
    const [few, many] = [100, 5000]
    for (const [call, budget] of [
      ['tool calls', 'callsAtOnce'],
      ['delegations', 'delegationsAtOnce'],
    ] as const) {
      const all = { call, all: many, hasWindow: false }
      const both = [few, many].map((count) => wideStepOf({ ...all, calls: count }))
      await measureGrowth(`(g) ${call} of a step without a window`, budget, both)
    }
  }
  if (values.only !== undefined) return
  if (chosen('h') && values.model !== 'http') measureSharedTroupe()
  if (chosen('latency')) await measureLatency()
  if (chosen('memory')) measureMemory()
  if (chosen('import')) measureInstallation()
  if (chosen('bail')) await reportBail()
  if (verdicts.length > 0) printVerdicts(verdicts)
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ ...report, verdicts }, null, 2))
}

async function measureInProcess(scenario: Scenario): Promise<void> {
  const title = `(${scenario.id}) ${scenario.title}, model in this process`
  const measurements = await measure(title, scenario, inProcessField(scenario), {
    warmUps: 5,
    rounds: scenario.rounds.inProcess,
  })
  if (values.only !== undefined) return
  const troupe = named(measurements, 'Troupe')
  if (scenario.id === 'd')
    verdicts.push(verdictOf('cpu', ratiosOf(troupe, named(measurements, 'XState machine')).cpu))
  if (scenario.id === 'e') {
    verdicts.push(verdictOf('growth', ratiosOf(troupe, named(measurements, 'Troupe, scenario (a)')).cpu))
  }
}

/** What one part of the work costs in a small job and in a large one; both rounds do as many. */
async function measureGrowth(
  title: string,
  budget: 'fanOut' | 'wideStep' | 'callsAtOnce' | 'delegationsAtOnce',
  both: readonly Entry[],
): Promise<void> {
  const field = both.filter(({ contestant }) => values.only === undefined || contestant.name === values.only)
  if (field.length === 0) throw new Error(`Nobody is called "${values.only}" in ${title}.`)
  const rounds = Number(values.rounds ?? field[0]?.scenario.rounds.inProcess)
  const [small, large] = await compare(field, { warmUps: 3, rounds })
  if (small === undefined || large === undefined) return // one alone, for a profile
  const rows = growthOf(small, large)
  report[title] = rows
  printGrowth(title, rows)
  verdicts.push(verdictOf(budget, ratiosOf(large, small).cpu))
}

/** What a run costs beside others of its troupe. */
function measureSharedTroupe(): void {
  const title = '(h) one troupe, runs of 3 model calls, model in this process'
  const rows = sharedTroupe(3, Number(values.rounds ?? 9))
  report[title] = rows
  printSharedTroupe(title, rows)
}

async function measureOverHttp(chosenScenarios: readonly Scenario[]): Promise<void> {
  const server = await startModelServer()
  for (const scenario of chosenScenarios) {
    const title = `(${scenario.id}) ${scenario.title}, model server over HTTP`
    const field = httpField(scenario, server)
    await measure(title, scenario, field, { warmUps: 8, rounds: scenario.rounds.http, isServing: true })
  }
  await server.stop()
}

async function measureLatency(): Promise<void> {
  const { model, runs, calls } = latencies
  for (const together of [true, false]) {
    const rows = await addedLatency(Number(values.rounds ?? latencies.rounds), together)
    const title = `${runs} runs of ${calls} calls, begun ${together ? 'together' : 'one by one'}, ${model} ms a reply, over HTTP`
    report[title] = rows
    printLatency(title, rows)
    const added = (name: string): number => rows.find((row) => row.name === name)?.added ?? Number.NaN
    const how = together ? 'latencyTogether' : 'latencyApart'
    verdicts.push(verdictOf(how, added('Troupe')), verdictOf(`${how}OnNode`, added(troupeOnNode)))
  }
}

async function measure(
  title: string,
  scenario: Scenario,
  field: readonly Entry[],
  given: Rounds,
): Promise<Measurement[]> {
  const entries = field.filter(
    ({ contestant }) => values.only === undefined || contestant.name === values.only,
  )
  if (entries.length === 0) throw new Error(`Nobody is called "${values.only}" in ${title}.`)
  const measurements = await compare(entries, {
    ...given,
    rounds: Number(values.rounds ?? given.rounds),
  })
  if (values.only === undefined) {
    const rows = comparisonOf(measurements, scenario.concurrent)
    report[title] = rows
    printComparison(title, rows)
  }
  return measurements
}

function named(measurements: readonly Measurement[], name: string): Measurement {
  const found = measurements.find((measurement) => measurement.name === name)
  if (found === undefined) throw new Error(`Nobody is called "${name}".`)
  return found
}

function measureMemory(): void {
  const names = inProcessField(scenarios.d).map(({ contestant }) => contestant.name)
  const peaks = peakMemory([nothing, ...names], 3)
  report['memory'] = peaks
  printPeaks(peaks)
}

function measureInstallation(): void {
  using project = installPacked()
  const packages = installedPackages(join(project.folder, 'node_modules'))
  const contestants = [['xstate', 'zod'], ['troupe'], ['openai'], ['troupe', 'openai']]
  const places = contestants.map((packages) => ({ folder: project.folder, packages }))
  const imports = coldImports(places, Number(values.rounds ?? 31))
  report['packages'] = packages
  report['imports'] = imports
  printPackages(packages)
  printImports(imports)
  const [baseline, troupe] = imports.map(({ packages, samples }) => ({
    name: packages.join(' + '),
    modelCallsPerRound: 1,
    runsPerRound: 1,
    samples,
  }))
  if (baseline === undefined || troupe === undefined) throw new Error('Nothing was imported.')
  verdicts.push(verdictOf('import', ratiosOf(troupe, baseline).wall))
  verdicts.push(verdictOf('packages', packages.length))
}

await main()

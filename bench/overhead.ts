/**
 * What the library costs: 1 000 concurrent runs of three model calls over an in-process model, against bare
 * XState machines that do the same job in the same process. How to run it, and what it says: README.md.
 */
import { parseArgs } from 'node:util'
import { createAgent, createTroupe } from 'troupe'
import { bare, bareWithChildren } from './support/bare.ts'
import { answer, addTool, instructions, model, modelCallsPerRun, runs, task } from './support/job.ts'
import { compare, median, quantile, type Contestant } from './support/measure.ts'

const { values } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '25' },
    only: { type: 'string' },
  },
})

const agent = createAgent({ id: 'adder', instructions, model, tools: { add: addTool } })

/** A troupe of its own for each repetition: its store keeps every journal. */
function troupe(): () => Promise<string> {
  const { start } = createTroupe({ agents: [agent] })
  return async () => (await (await start(agent, task)).result).text
}

function contestant(name: string, prepare: () => () => Promise<string>): Contestant {
  return {
    name,
    async run() {
      const run = prepare()
      const answers = await Promise.all(Array.from({ length: runs }, run))
      const wrong = answers.find((text) => text !== answer)
      if (wrong !== undefined) throw new Error(`${name} answered ${JSON.stringify(wrong)}`)
    },
  }
}

const all = [
  contestant('bare machine', () => bare),
  contestant('bare machine, child per tool call', () => bareWithChildren),
  contestant('troupe', troupe),
]
const contestants = all.filter(({ name }) => values.only === undefined || name === values.only)

if (globalThis.gc === undefined) console.warn('Without --expose-gc the numbers hold garbage of one another.')
const measurements = await compare(contestants, { warmUps: 5, repetitions: Number(values.repetitions) })

const calls = runs * modelCallsPerRun
const rows = measurements.map(({ name, cpu }) => {
  const perCall = cpu.map((ms) => (ms * 1000) / calls)
  return {
    contestant: name,
    'µs CPU / model call': median(perCall).toFixed(1),
    quartiles: `${quantile(perCall, 0.25).toFixed(1)} to ${quantile(perCall, 0.75).toFixed(1)}`,
    'times bare': (median(cpu) / median(measurements[0]?.cpu ?? [])).toFixed(2),
    'times child per call': (median(cpu) / median(measurements[1]?.cpu ?? [])).toFixed(2),
  }
})
console.log(
  `${runs} concurrent runs of ${modelCallsPerRun} model calls, ${values.repetitions} repetitions, node ${process.version}`,
)
console.table(rows)

/**
 * What an event costs a view of a long run beside one of a short run: the events of record of a supervisor that delegates, a
 * message in many pieces, and events that the view has seen.
 */
import { parseArgs } from 'node:util'
import { createTroupe, memoryStore, type RunEvent } from 'troupe'
import { emptyView, viewOf, type RunView } from 'troupe/view'
import { median } from './support/statistics.ts'
import { lead, recordedRun } from './trail/company.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    small: { type: 'string', default: '500' },
    large: { type: 'string', default: '10000' },
  },
})
const rounds = Number(values.rounds)
const small = Number(values.small)
const large = Number(values.large)
const warmUps = 3
const budget = 1.3

async function recordedEvents(): Promise<readonly RunEvent[]> {
  const store = memoryStore()
  const runId = await recordedRun(store, large)
  const troupe = createTroupe({ agents: [lead], store })
  const { events } = await troupe.replay(runId)
  await troupe.close()
  if (events.length < large) throw new Error(`The run has ${events.length} events alone.`)
  return events
}

const recorded = await recordedEvents()
const place = { at: 1, runId: 'r', agent: 'a', path: 'a', messageId: 'a:m1' } as const
const pieces = Array.from({ length: large }, (): RunEvent => ({
  ...place,
  type: 'text-delta',
  payload: { text: 'a few words, ' },
}))

/** The view is read as a page reads it: after each 100 events. */
function fold(events: readonly RunEvent[], from: RunView): RunView {
  let view = from
  for (let index = 0; index < events.length; index += 100) {
    view = viewOf(events.slice(index, index + 100), view)
    if (view.agents.length === 0 || view.text.length < 0) throw new Error('The view has no agent.')
  }
  return view
}

const whole = { small: viewOf(recorded.slice(0, small)), large: viewOf(recorded.slice(0, large)) }
const cases: Readonly<Record<string, (size: 'small' | 'large') => RunView>> = {
  'events of record': (size) => fold(recorded.slice(0, size === 'small' ? small : large), emptyView),
  'pieces of one message': (size) => fold(pieces.slice(0, size === 'small' ? small : large), emptyView),
  'events that were seen': (size) => fold(recorded.slice(0, size === 'small' ? small : large), whole[size]),
}

/** Microseconds of CPU an event; both sizes take as many events a sample. */
function cpuOf(size: 'small' | 'large', play: (size: 'small' | 'large') => RunView): number {
  const repeats = size === 'small' ? large / small : 1
  globalThis.gc?.()
  const before = process.cpuUsage()
  for (let repeat = 0; repeat < repeats; repeat++) play(size)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / large
}

if (globalThis.gc === undefined) console.warn('Without --expose-gc the numbers hold garbage of one another.')
let isOver = false
console.log(`| what is seen | µs an event of ${small} | µs an event of ${large} | ratio | verdict |`)
console.log('| --- | --: | --: | --: | --- |')
for (const [name, play] of Object.entries(cases)) {
  const samples: Record<'small' | 'large', number[]> = { small: [], large: [] }
  for (let round = -warmUps; round < rounds; round++) {
    for (const size of round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
      const cpu = cpuOf(size, play)
      if (round >= 0) samples[size].push(cpu)
    }
  }
  const ratio = median(samples.large.map((cpu, round) => cpu / (samples.small[round] ?? Number.NaN)))
  const isMet = ratio <= budget
  isOver ||= !isMet
  const numbers = [median(samples.small), median(samples.large), ratio].map((value) => value.toFixed(2))
  console.log(`| ${name} | ${numbers.join(' | ')} | ${isMet ? 'met' : 'missed'} |`)
}
if (isOver) process.exitCode = 1

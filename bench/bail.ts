/**
 * `npm run bench -- bail`: what a bail saves. Each shape of work runs many times with a bail and without, on a virtual clock
 * and with a provider that counts tokens and takes the time of a hosted model; both runs of a pair have the same subagents,
 * which say the same and take the same time.
 */
import { createTroupeOn, virtualClock } from 'troupe/testing'
import { Provider, type Bill, type Speeds } from './bail/provider.ts'
import { shapes, type Shape } from './bail/shapes.ts'
import { median, quantile } from './support/statistics.ts'

const speeds: Speeds = { latency: 400, reading: 4_000, writing: 60 }
const pairs = 60

interface Cost extends Bill {
  readonly milliseconds: number
}

async function costOf(shape: Shape, seed: number, bails: boolean): Promise<Cost> {
  const clock = virtualClock()
  const provider = new Provider(clock, speeds)
  const agent = shape.agent({ provider, seed, bails })
  const troupe = createTroupeOn(clock, { agents: [agent] })
  const begun = clock.now()
  const run = await troupe.start(agent, shape.prompt)
  const { outcome } = await clock.runUntil(run.result)
  if (outcome !== (bails ? 'bailed' : 'completed')) {
    throw new Error(`${shape.title}: the run ended as ${outcome}.`)
  }
  const milliseconds = clock.now() - begun
  await troupe.close()
  return { ...provider.bill, milliseconds }
}

/** The median, and the quartiles. */
function spread(values: readonly number[], write: (value: number) => string): string {
  return `${write(median(values))} (${write(quantile(values, 0.25))} to ${write(quantile(values, 0.75))})`
}

const percent = (value: number): string => `${Math.round(value * 100)} %`
const tokensOf = ({ inputTokens, outputTokens }: Cost): number => inputTokens + outputTokens

/** A table of Markdown, as the guide has it. */
export async function reportBail(): Promise<void> {
  console.log(`\nWhat a bail saves: medians and quartiles of ${pairs} pairs`)
  console.log('| work | model calls | tokens without | tokens saved | time without, s | time saved |')
  console.log('| --- | --: | --: | --: | --: | --: |')
  for (const shape of shapes) {
    const both: { readonly without: Cost; readonly withBail: Cost }[] = []
    for (let seed = 1; seed <= pairs; seed++) {
      both.push({
        without: await costOf(shape, seed, false),
        withBail: await costOf(shape, seed, true),
      })
    }
    const of = (value: (pair: (typeof both)[number]) => number): number[] => both.map(value)
    const cells = [
      shape.title,
      `${median(of(({ without }) => without.calls))} → ${median(of(({ withBail }) => withBail.calls))}`,
      spread(
        of(({ without }) => tokensOf(without)),
        (tokens) => tokens.toFixed(0),
      ),
      spread(
        of(({ without, withBail }) => 1 - tokensOf(withBail) / tokensOf(without)),
        percent,
      ),
      spread(
        of(({ without }) => without.milliseconds / 1000),
        (seconds) => seconds.toFixed(1),
      ),
      spread(
        of(({ without, withBail }) => 1 - withBail.milliseconds / without.milliseconds),
        percent,
      ),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

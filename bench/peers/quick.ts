/**
 * What a change costs, in about four minutes: `npm run bench -- quick`. The CPU of four works is a ratio to that of the AI SDK in the
 * same rounds, so that the machine does not matter, and stands beside the ratios that `quick.json` keeps. `--keep` writes them. It ends
 * with the exit code 1 where a work costs more than 5 % more than it did, beyond the noise of the rounds.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { entrants } from './contestants.ts'
import { aiSdk, troupe } from './field.ts'
import { installPeers } from './install.ts'
import { measured, works } from './works.ts'
import { changeOf, spreadOf, type Spread } from '../report/change.ts'

type WorkId = keyof typeof works

interface Kept {
  readonly node: string
  /** Of the CPU of Troupe to that of the AI SDK, by work. */
  readonly ratios: Readonly<Record<WorkId, Spread>>
}

const file = join(import.meta.dirname, '../quick.json')

export interface QuickOptions {
  /** Rounds of each work. Default: three times those of `works`. */
  readonly rounds?: number
  /** A folder to install the AI SDK into, which is kept and used again. */
  readonly folder?: string
  /** Writes the ratios in the place of those of before. */
  readonly keep: boolean
}

/** Resolves with whether no work costs more than it did. */
export async function quick({ rounds, folder, keep }: QuickOptions): Promise<boolean> {
  using installed = installPeers(folder, ['ai'])
  const field = entrants(installed.folder).filter(({ label }) => label === troupe || label === aiSdk)
  const before = keep ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as Kept)
  const ratios: Partial<Record<WorkId, Spread>> = {}
  let holds = true
  for (const id of Object.keys(works) as WorkId[]) {
    const work = works[id]
    const [own, peer] = await measured(work, field, rounds ?? 3 * work.rounds)
    if (own === undefined || peer === undefined) throw new Error('Both contestants have played.')
    const ratio = spreadOf(own, peer)
    ratios[id] = ratio
    const shown = `(${id}) ${work.title}: ${ratio.median.toFixed(2)} × ${aiSdk} (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`
    if (before === undefined) {
      console.log(shown)
      continue
    }
    const change = changeOf(before.ratios[id], ratio)
    holds &&= change.verdict !== 'dearer'
    console.log(`${shown}, before: ${before.ratios[id].median.toFixed(2)}. ${change.text}`)
  }
  if (keep) {
    const kept = { node: process.version, ratios }
    writeFileSync(file, `${JSON.stringify(kept, undefined, 2)}\n`)
  }
  return holds
}

/** What a seeded team does besides its work: who hands on, what goes to the background, and what is cancelled when. */
import type { BudgetOptions } from 'troupe'
import type { Cancel } from './seeded-moments.ts'
import type { Roll } from './seeded-words.ts'
import type { PatternName } from './seeded-team.ts'

export interface Traits {
  readonly bails: boolean
  readonly handsOff: boolean
  /** The subagent of this key works in the background for this supervisor. */
  readonly background: { readonly of: 'root' | 'middle'; readonly key: string } | undefined
  /** Of all agents together. It is reached where the order of their calls is sure, and where nobody cancels. */
  readonly budget: BudgetOptions
  /** Who comes first decides: so they come one after the other, and nobody is held. */
  readonly inTurn: boolean
  /** Who works calls one thing at a time, so that nothing else is at work when a person is asked. */
  readonly isSingle: boolean
  /** The task in the background whose agent makes its first model call under this key. */
  readonly taskOf: (key: string) => string | undefined
  /** What is cancelled while the call of this key is at work. */
  readonly cancelOf: (key: string) => Cancel | undefined
}

/** Patterns whose work leads to `middle`, who may have some of it done in the background. */
const leadingToMiddle: readonly PatternName[] = ['router', 'planner', 'fan-out', 'meta-router', 'dispatcher']

export function traitsOf(rollOf: Roll, pattern: PatternName): Traits {
  const roll: Roll = (key, sides) => rollOf(`${pattern} ${key}`, sides)
  const bails = roll('bails', 3) === 1
  const cancels = (['run', 'delegation', 'none', 'none'] as const)[roll('cancels', 4)]
  const handsOff = roll('hands off', 2) === 1
  const isSingle = roll('single', 3) === 1 && pattern !== 'debate' && pattern !== 'fan-out'
  const inTurn = pattern === 'debate' || (!isSingle && (bails || cancels === 'run'))
  const isSerial = inTurn || isSingle
  const background = !isSingle && roll('background', 3) > 0 ? backgroundIn(roll, pattern) : undefined
  const isSure = isSerial && background === undefined && cancels === 'none'
  const budget = { modelCalls: isSure ? 1 + roll('budget', 5) : 10_000 }
  const lead = `${pattern}-${background?.of}(?:~\\d+)?`
  const task = new RegExp(`^(.*${lead}/delegation:[^/]+)/${pattern}-${background?.key}/`)
  const word = new RegExp(`(?:^|/)${lead}/model#\\d+$`)

  const delegationOf = (key: string): string | undefined => {
    const isNearest = !isSerial || roll(`${key} nearest`, 2) === 0
    return (isNearest ? /^(.*\/delegation:[^/]+)\// : /^([^/]+\/delegation:[^/]+)\//).exec(key)?.[1]
  }

  return {
    bails,
    handsOff,
    background,
    budget,
    inTurn,
    isSingle,
    taskOf: (key) => (key.endsWith('/model#1') ? task.exec(key)?.[1] : undefined),
    cancelOf(key) {
      // What has gone to the background has come to where it waits when its supervisor speaks, or waits for it.
      const isStill = background === undefined || task.test(key) || word.test(key)
      // Of calls side by side some would have ended, and others not: a model speaks alone.
      const isAlone = isSerial || /\/model#\d+$/.test(key)
      if (!isStill || !isAlone || roll(`${key} cancels`, 3) !== 1) return undefined
      if (cancels === 'run') return { type: 'cancel', reason: 'enough' }
      const delegationId = cancels === 'delegation' ? delegationOf(key) : undefined
      return delegationId === undefined ? undefined : { type: 'cancel', reason: 'no', delegationId }
    },
  }
}

function backgroundIn(roll: Roll, pattern: PatternName): Traits['background'] {
  if (pattern === 'supervisor')
    return { of: 'root', key: ['first', 'second', 'middle'][roll('task', 3)] as string }
  if (!leadingToMiddle.includes(pattern)) return undefined
  return { of: 'middle', key: ['first', 'second'][roll('task', 2)] as string }
}

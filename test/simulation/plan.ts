/** What a seed stands for: how the world is, and what is done to it when. */
import { someEdits, type EditName } from './edits.ts'
import { Random } from './random.ts'

export const agentNames = ['solo', 'lead', 'fan'] as const
export type AgentName = (typeof agentNames)[number]
export type User = 'alice' | 'bob'

/** What happens to a machine, or what is asked of the process that it runs. */
export type Action =
  /** `user`: of a thread that all users ask for. */
  | { readonly type: 'start'; readonly agent: AgentName; readonly user?: User }
  /** `afterDeeds`: at once, or when it next touches the outside for this many times. */
  | { readonly type: 'crash'; readonly afterDeeds: number; readonly downFor: number }
  | { readonly type: 'stall'; readonly time: number }
  | { readonly type: 'jump'; readonly by: number }
  | { readonly type: 'close'; readonly downFor: number }
  /** The process ends, and the next ones of its machine run another program. */
  | {
      readonly type: 'deploy'
      readonly how: 'crash' | 'close'
      readonly downFor: number
      readonly edits: readonly EditName[]
    }
  /** The process drains and closes, and the next one begins. Milliseconds. */
  | { readonly type: 'drain'; readonly deadline: number; readonly downFor: number }
  | { readonly type: 'cancel'; readonly run: number }
  | { readonly type: 'cancelDelegation'; readonly run: number }
  /** `part`: which part of its entries is shared, from 0 to 1. */
  | { readonly type: 'fork'; readonly run: number; readonly part: number }
  | { readonly type: 'visit'; readonly run: number }

export type Planned = Action & {
  readonly at: number
  /** Which machine, from 0. */
  readonly machine: number
}

/** How often things go wrong in this world, from 0 to 1, and how it is set. */
export interface Settings {
  readonly machines: number
  /** Milliseconds. */
  readonly leaseTtl: number
  readonly pollInterval: number
  readonly passivateAfter: number
  /** `sync`: appends are done when they return, as in SQLite. */
  readonly store: 'async' | 'sync'
  readonly storeFailures: number
  readonly slowness: number
  readonly userErrors: number
  readonly answers: number
  /** Milliseconds by which the clocks of machines differ at most. */
  readonly clockSkew: number
  /** What becomes of the processes when faults stop: a fresh one goes on in any case. */
  readonly atTheEnd: 'stay' | 'crash' | 'close'
}

export interface Plan {
  readonly seed: number
  /** Of `rollingPlanOf`. Default: `false`. */
  readonly isRolling?: true
  readonly settings: Settings
  readonly actions: readonly Planned[]
}

/** Until then faults happen. Milliseconds. */
export const troubleLasts = 5_000

const faults = ['crash', 'crash', 'stall', 'jump', 'close'] as const
const requests = ['cancel', 'cancelDelegation', 'fork', 'visit', 'visit'] as const

export function planOf(seed: number): Plan {
  const random = new Random(`troupe ${seed}`).stream('plan')
  const settings: Settings = {
    machines: random.between(1, 3),
    leaseTtl: random.pick([300, 1_000]),
    pollInterval: random.pick([100, 250]),
    passivateAfter: random.pick([0, 100, Number.POSITIVE_INFINITY]),
    store: random.pick(['async', 'sync']),
    storeFailures: random.pick([0, 0, 0.01, 0.04]),
    slowness: random.pick([0.2, 1, 3]),
    userErrors: random.pick([0, 0.1, 0.3]),
    answers: random.pick([0.5, 0.9, 1]),
    clockSkew: random.pick([0, 0, 50, 2_000]),
    atTheEnd: random.pick(['stay', 'crash', 'close']),
  }
  const machine = () => random.below(settings.machines)
  const actions: Planned[] = []
  const runs = random.between(1, 4)
  for (let run = 0; run < runs; run++) {
    const at = random.pick([0, random.below(troubleLasts / 2)])
    const user = random.pick([undefined, 'alice', 'bob'] as const)
    const whose = user === undefined ? {} : { user }
    actions.push({ at, machine: machine(), type: 'start', agent: random.pick(agentNames), ...whose })
  }
  for (let fault = random.below(6); fault > 0; fault--) {
    actions.push({ at: random.below(troubleLasts), machine: machine(), ...faultOf(random) })
  }
  for (let request = random.below(5); request > 0; request--) {
    actions.push({ at: random.below(troubleLasts), machine: machine(), ...requestOf(random, runs) })
  }
  addMore(actions, settings, new Random(`troupe ${seed}`).stream('more'))
  return { seed, settings, actions: actions.toSorted((one, other) => one.at - other.at) }
}

/** Deploys, a conversation, and forks and cancels also of runs that others have begun. */
function addMore(actions: Planned[], { machines }: Settings, random: Random): void {
  const place = () => ({ at: random.below(troubleLasts), machine: random.below(machines) })
  for (let deploy = random.pick([0, 0, 1, 2, 3]); deploy > 0; deploy--) {
    const how = random.pick(['crash', 'close'] as const)
    actions.push({
      ...place(),
      type: 'deploy',
      how,
      downFor: random.pick([0, random.below(1_000)]),
      edits: someEdits(random),
    })
  }
  if (random.chance(0.3)) {
    for (const at of [0, 1_500, 3_000])
      actions.push({ at, machine: random.below(machines), type: 'start', agent: 'solo', user: 'alice' })
  }
  for (let fork = random.pick([0, 0, 1, 3]); fork > 0; fork--)
    actions.push({ ...place(), type: 'fork', run: random.below(7), part: random.below(100) / 100 })
  if (random.chance(0.3)) actions.push({ ...place(), type: 'cancel', run: random.below(7) })
}

function faultOf(random: Random): Action {
  const type = random.pick(faults)
  switch (type) {
    case 'crash':
      return { type, afterDeeds: random.pick([0, random.below(12)]), downFor: random.between(0, 2_000) }
    case 'stall':
      return { type, time: random.pick([random.between(1, 200), random.between(300, 3_000)]) }
    case 'jump':
      return { type, by: random.pick([-1, 1]) * random.pick([20, 700, 5_000]) }
    case 'close':
      return { type, downFor: random.between(0, 2_000) }
  }
}

function requestOf(random: Random, runs: number): Action {
  const type = random.pick(requests)
  const run = random.below(runs)
  switch (type) {
    case 'fork':
      return { type, run, part: random.below(100) / 100 }
    case 'cancel':
    case 'cancelDelegation':
    case 'visit':
      return { type, run }
  }
}

/** How many deploys a world of `rollingPlanOf` has at least. */
export const rollingDeploys = 4

/**
 * A world whose processes drain, one after the other, while runs go on and people answer. In every other world nothing else goes
 * wrong: a call that ends in time is then made once.
 */
export function rollingPlanOf(seed: number): Plan {
  const { actions, settings } = planOf(seed)
  const random = new Random(`troupe ${seed}`).stream('drains')
  const isCalm = seed % 2 === 0
  const deploys = Array.from({ length: rollingDeploys + random.below(2) }, (): Planned[] => {
    const deadline = random.pick([20, 600, 3_000])
    const downFor = deadline + random.between(2_000, 4_000)
    const at = random.below(troubleLasts)
    const machine = random.below(settings.machines)
    const begun = Math.max(0, at - random.below(200)) // its calls are under way then
    return [
      { at: begun, machine, type: 'start', agent: random.pick(agentNames) },
      { at, machine, type: 'drain', deadline, downFor },
    ]
  }).flat()
  const kept = isCalm ? actions.filter(({ type }) => !isFault(type)) : actions
  return {
    seed,
    isRolling: true,
    settings: isCalm
      ? { ...settings, storeFailures: 0, clockSkew: 0, leaseTtl: 20_000, slowness: 3 }
      : settings,
    actions: [...kept, ...deploys].toSorted((one, other) => one.at - other.at),
  }
}

/** Whether nothing goes wrong in a world but that processes drain. */
export function isCalm({ actions, settings }: Plan): boolean {
  return (
    settings.storeFailures === 0 && settings.clockSkew === 0 && actions.every(({ type }) => !isFault(type))
  )
}

function isFault(type: Action['type']): boolean {
  return ['crash', 'stall', 'jump', 'close', 'deploy'].includes(type)
}

/**
 * The live children of an agent, in the order in which they began. They are a list, and not a record by id: a copy of
 * a record of thousands of names takes a thousand times as long.
 */

/** A child at work, or one that waits for a signal. */
export interface LiveChild {
  readonly child: string
  readonly state: 'running' | 'held'
}

export type Live = readonly LiveChild[]

/** A child that no step waits for. */
export interface BackgroundChild extends LiveChild {
  /** The key of the subagent, or the name of the tool. */
  readonly key: string
}

export function liveChild<Child extends LiveChild>(live: readonly Child[], child: string): Child | undefined {
  return live[placeOf(live, child)]
}

/** Children that are live from now on. */
export function withRunning(live: Live, children: readonly string[]): Live {
  return [...live, ...children.map((child): LiveChild => ({ child, state: 'running' }))]
}

export function withoutChild<Child extends LiveChild>(
  live: readonly Child[],
  child: string,
): readonly Child[] {
  const place = placeOf(live, child)
  return place === -1 ? live : live.toSpliced(place, 1)
}

export function withState<Child extends LiveChild>(
  live: readonly Child[],
  child: string,
  state: LiveChild['state'],
): readonly Child[] {
  return live.map((one) => (one.child === child ? { ...one, state } : one))
}

/** Asked after each report, so it stops at the first child at work. */
export function areHeld(live: Live): boolean {
  return live.every(({ state }) => state === 'held')
}

export function runningIn(live: Live): number {
  return live.filter(({ state }) => state === 'running').length
}

function placeOf(live: Live, child: string): number {
  // A loop, which takes a third of the time of `findIndex` with a function.
  for (let place = 0; place < live.length; place++) if (live[place]?.child === child) return place
  return -1
}

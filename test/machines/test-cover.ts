/** The test of a machine by its cover. */
import { expect, test } from 'vitest'
import type { AnyStateMachine } from 'xstate'
import { proved } from '../support/covers/proved.ts'
import { goldenPath, type Suite } from './suites/suite.ts'

/** `invariant` holds in each state of each path. */
export function testCover<Machine extends AnyStateMachine>(
  suite: Suite<Machine>,
  invariant: Parameters<Suite<Machine>['cover']>[0],
): void {
  const { id } = suite.machine
  test(`${id}: every path leads where its graph says, and replays`, (context) =>
    proved(context, async () => {
      const cover = suite.cover(invariant)
      const { total } = await cover.run()
      expect(cover.transitions().missing).toEqual([])
      return { states: cover.states, edges: cover.edges, paths: cover.paths.length, transitions: total }
    }, [goldenPath(id)]))
}

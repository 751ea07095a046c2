/**
 * `screening`: input processors check the messages of people that wait, before the model is called, and before an answer
 * is set aside for them.
 */
import { loopSetup } from '../setup.ts'

/** Goes on to the sibling `next`, which reads the messages that have passed where it is about to call the model. */
export function screening(next: string, ...hearing: readonly 'hearSayings'[]) {
  return loopSetup.createStateConfig({
    description: 'Input processors check the messages of people that wait.',
    entry: 'startScreening',
    always: { guard: 'isScreened', target: next, actions: ['takeScreened', ...hearing] },
  })
}

/** The transition to a sibling `screening`, where the chart has one. */
export function screens(state: object | undefined) {
  return state === undefined ? [] : ([{ guard: 'mustScreenSayings', target: 'screening' }] as const)
}

/** `editing`: before a call of the model, old results, thoughts and files are cleared from what it is sent. */
import { loopSetup } from '../setup.ts'

/** Goes back to the sibling `sizing`. */
export const editing = /* @__PURE__ */ loopSetup.createStateConfig({
  description: 'Old results, thoughts and files are cleared from what the model is sent. No model is called.',
  entry: 'editContext',
  always: 'sizing',
})

/** The transition to a sibling `editing`, where the chart has one. */
export function edits(state: object | undefined) {
  return state === undefined ? [] : ([{ guard: 'mustEdit', target: 'editing' }] as const)
}

/** Parameters of guards and actions, read off the events by which children report. */
import type { HookOutcome } from '../../actors/effect-kinds.ts'
import type { HookName } from '../../actors/effect-names.ts'
import { toErrorData, type ErrorData } from '../../errors.ts'

/** What a child ended with. */
export const output = <T>({ event }: { event: { readonly output: T } }): T => event.output

/** Why a child failed. The door reports plain data; a machine that broke reports whatever it threw. */
export const failure = ({ event }: { event: { readonly error: unknown } }): ErrorData =>
  toErrorData(event.error, 'MACHINE_FAILED')

/** What a user's function answered: the engine has checked it against the shape that its name stands for. */
export function answerOf<Name extends HookName>(_hook: Name) {
  return ({ event }: { event: { readonly output: unknown } }) => event.output as HookOutcome<Name>
}

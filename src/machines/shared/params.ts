/** Parameters of guards and actions, read from the reports of children. */
import type { HookOutcome } from '../../actors/effects/effect-kinds.ts'
import type { HookName } from '../../actors/effects/effect-names.ts'
import { toErrorData, type ErrorData } from '../../errors.ts'

/** The output of a child. */
export const output = <T>({ event }: { event: { readonly output: T } }): T => event.output

/** The error of a child. An effect reports plain data; a machine that crashed reports any thrown value. */
export const failure = ({ event }: { event: { readonly error: unknown } }): ErrorData =>
  toErrorData(event.error, 'MACHINE_FAILED')

/** The answer of a user function, which the engine has checked against the schema of the hook. */
export function answerOf<Name extends HookName>(_hook: Name) {
  return ({ event }: { event: { readonly output: unknown } }) => event.output as HookOutcome<Name>
}

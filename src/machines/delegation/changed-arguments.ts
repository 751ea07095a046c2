/** A person approves a delegation with other arguments. They are those of every delegation, but for its files. */
import { delegationPrefix } from '../../actors/strict/ids.ts'
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import { delegationArgsSchema, type DelegationArgs } from '../../actors/toolset/delegation-args.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'

/** The part of a delegation that its arguments belong to. */
interface Delegated {
  readonly profile: { readonly toolset: Toolset }
  readonly key: string
  readonly args: DelegationArgs
}

/** The problem of changed arguments; `undefined`: they fit. */
export function problemOf(
  { profile, key, args }: Delegated,
  given: JsonValue | undefined,
): string | undefined {
  const check = profile.toolset.whole.check({ id: '', name: delegationPrefix + key, args: given ?? null })
  if (check.status === 'invalid') return check.problem
  return filesProblem(args, given)
}

/** The subagent is given the files that the model has named: a person cannot name others. */
export function filesProblem(
  asked: JsonValue | DelegationArgs,
  given: JsonValue | undefined,
): string | undefined {
  const [before, after] = [asked, given].map(
    (args) => delegationArgsSchema().safeParse(args).data?.files ?? [],
  )
  const isSame = canonicalJson(before ?? []) === canonicalJson(after ?? [])
  return isSame ? undefined : 'the files of a delegation cannot be changed'
}

/** The changes of a delegation with other arguments; instructions of a hook stay. */
export function changed<Input extends Delegated>(
  { input, addedInstructions }: { readonly input: Input; readonly addedInstructions: readonly string[] },
  given: JsonValue | undefined,
) {
  const args = delegationArgsSchema().parse(given)
  const own = input.args.instructions == null ? 0 : 1
  return {
    input: { ...input, args },
    prompt: args.prompt,
    changedArgs: given,
    addedInstructions: [
      ...(args.instructions == null ? [] : [args.instructions]),
      ...addedInstructions.slice(own),
    ],
  }
}

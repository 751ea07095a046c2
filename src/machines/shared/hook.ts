/** The invocation of a user function as a hook, to be spread into an `invoke` with its transitions. */
import type { EffectInput } from '../../actors/effects/effect-kinds.ts'
import type { HookName } from '../../actors/effects/effect-names.ts'
import type { HookTable } from '../contract/profile.ts'

type Call = Omit<EffectInput<'hook'>, 'hook'>

export function hook<const Name extends HookName, Context>(name: Name, callIn: (context: Context) => Call) {
  return {
    src: 'hook',
    id: `hook:${name}`,
    input: ({ context }: { readonly context: Context }) => {
      const { agent, ...call } = callIn(context)
      return { agent, hook: name, ...call }
    },
  } as const
}

interface Hooked {
  readonly input: {
    readonly profile: { readonly id: string; readonly hooks: HookTable; readonly hookTimeout: number }
  }
}

/** A hook of the agent whose profile the context holds. The order of the fields is that of `hook`. */
export function profileHook<const Name extends HookName, Context extends Hooked>(
  name: Name,
  data: (context: Context) => Call['data'],
) {
  return hook(name, (context: Context) => {
    const { id, hooks, hookTimeout } = context.input.profile
    return { agent: id, scope: hooks[name] ?? 'agent', timeout: hookTimeout, data: data(context) }
  })
}

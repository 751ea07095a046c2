/** A hook that is shown the call: its tool, and its arguments. */
import { expected } from '../../actors/toolset/toolset.ts'
import { hook } from '../shared/hook.ts'
import type { ToolCallContext } from './context.ts'

export function callHook<const Name extends 'requireApproval' | 'validateArguments'>(name: Name) {
  return hook(name, ({ agent, call, hookTimeout, toolset }: ToolCallContext) => ({
    agent,
    scope: 'agent',
    timeout: hookTimeout,
    data: { tool: call.name, args: call.args, ...expected(toolset) },
  }))
}

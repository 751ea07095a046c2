/** What the calls of an agent's model may take, and functions of the user's on their way: in milliseconds. */
import type { AgentProfile } from '../../contract/agent.ts'

export function modelLimits({ modelTimeout, hookTimeout }: AgentProfile) {
  return { ...(modelTimeout === undefined ? {} : { timeout: modelTimeout }), hookTimeout }
}

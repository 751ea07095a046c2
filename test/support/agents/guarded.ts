/** A tool that a person must allow. */
import { createTool } from 'troupe'
import { z } from 'zod'

export const guarded = createTool({
  id: 'guarded',
  description: 'Must be allowed.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'allowed',
})

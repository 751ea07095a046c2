/** A troupe with a run of each kind that the page shows differently: it asks, it delegates, it speaks slowly, it fails. */
import { createTool, createTroupe, memoryStore, suspend, type RunStore, type Troupe } from 'troupe'
import { inspector, type Inspector } from 'troupe/inspector'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../../support/agents/agents.ts'

/** The build imports this module first in every entry of the package: no other module runs on a Node that is too old. */
import { assertSupportedNode } from './supported-node.ts'

const { process } = globalThis as { process?: { versions?: { node?: string } } }

assertSupportedNode(process?.versions?.node)

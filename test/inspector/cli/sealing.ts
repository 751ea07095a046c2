/** The module that `--sealed` names. */
export { sealing } from '../../support/sealing.ts'

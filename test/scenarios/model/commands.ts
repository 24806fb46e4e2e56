import type fc from 'fast-check'
import { changeStock, checkout, editProduct, editPromo, repeat } from './buying.ts'
import type { ShopCommand } from './command.ts'
import { handOver, refundLines, sendBack, ship, takeBackShipment } from './goods.ts'
import { cancel, cancelOwn, endPage, pay, refund, refundThere } from './money.ts'
import { deliver, letTimePass, sweep } from './time.ts'

/** The more often, the more likely. */
export const shopCommands: fc.Arbitrary<ShopCommand>[] = [
  [checkout, checkout, checkout, checkout, checkout, repeat],
  [pay, pay, pay, endPage, refundThere],
  [cancel, cancel, cancelOwn, refund, refund, refund],
  [ship, ship, ship, refundLines, refundLines, refundLines, sendBack, sendBack, takeBackShipment, handOver],
  [deliver, deliver, deliver, sweep, sweep, sweep, letTimePass, letTimePass],
  [changeStock, editProduct, editPromo],
].flat()

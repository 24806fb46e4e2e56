import { onlySomeLeft, soldOut } from './errors.ts'

export const outOfStock = (field: string, quantity: number) =>
  quantity === 0 ? soldOut({ field }) : onlySomeLeft({ field, quantity })

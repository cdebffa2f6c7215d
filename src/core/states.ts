/** The states that an address may have, as the Postal Service abbreviates them. */

/** The fifty states, the District of Columbia and the territories. */
export const STATES: readonly string[] = (
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT ' +
  'VA WA WV WI WY AS GU MP PR VI'
).split(' ');

/** Mail to the armed forces is addressed to one of these; no law of a state applies there. */
export const ARMED_FORCES: readonly string[] = ['AA', 'AE', 'AP'];

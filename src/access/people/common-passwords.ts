/**
 * Passwords that are tried first, in lower case: from published lists of the most frequent ones, those that people stretch to the required
 * length, and the words of this trade. `passwordFault` also takes digits and signs off both ends before it looks here.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `password passwort passwords passwordpassword mypassword newpassword yourpassword thepassword adminpassword secretpassword
  changeme changemenow changemeplease letmein letmeinplease letmeinnow welcome welcomeback welcomehome iloveyou iloveyousomuch
  iloveyouforever loveyou trustno trustnoone qwerty qwertyuiop qwertyuiopasdf qwertyqwerty qwertyasdfgh asdfghjkl asdfghjklzxc asdfasdfasdf
  zxcvbnm zxcvbnmasdfg qazwsxedc qazwsxedcrfv qazwsx zaqxswcde wsxedcrfv poiuytrewq mnbvcxz azerty azertyuiop azertyuiopqs
  abcdef abcdefg abcdefgh abcdefghi abcdefghij abcdefghijk abcdefghijkl abcdefghijklm abcdefghijklmnop
  123456789012 1234567890123 12345678901234 123456789123 1234567891234 123456123456 098765432109 098765432100 987654321098 112233445566
  111222333444 111111222222 121212121212 123123123123 123412341234 147258369147 159753159753 100200300400 010203040506 1q2w3e4r5t6y
  1q2w3e4r5t6y7u 1qaz2wsx3edc 1qaz2wsx3edc4rfv q1w2e3r4t5y6 q1w2e3r4t5y6u7 zaq12wsxcde3 a1b2c3d4e5f6 a1s2d3f4g5h6 1a2b3c4d5e6f
  administrator superadmin superuser sysadmin rootroot root admin adminadmin administrator toor guest guestguest default
  testtest testtesttest test tester testing testpassword demo demodemo demopassword temporary temppassword temp secret secrets topsecret
  monkey dragon football baseball basketball superman batman spiderman pokemon starwars princess sunshine shadow master michael jennifer
  jordan charlie freedom whatever computer internet hello helloworld hellohello correcthorsebatterystaple correct-horse-battery-staple
  summer winter spring autumn january february march april june july august september october november december monday friday
  company companypassword office officepassword business daybook daybookdaybook loan loans loanservicing autoloan autoloans lender lending
  bank banking mortgage finance financial money moneymoney dealer dealership america americanexpress chase wellsfargo`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
